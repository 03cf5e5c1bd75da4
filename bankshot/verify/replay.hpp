// The tree of a certificate, step by step.
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "bankshot/verify/certificate.hpp"
#include "bankshot/verify/loads.hpp"

namespace bankshot::verify {

/// Several may replay one tree together, copies of one another: each walks all of it, and follows those of its parts
/// that it has taken. A part is a node of a certain depth with all below it, or the end of one above.
class Replay {
 public:
  /// @param groups  words with no other bits than `bits`
  /// @param excess  of the groups: nothing may have less
  Replay(const Certificate& certificate, const std::vector<Group>& groups, uint32_t bits, uint64_t excess);

  /// @param next  the first part that no thread has taken
  /// @return the first error in the parts it has taken, or nothing
  std::string run(std::atomic<uint64_t>& next);
  uint64_t nodes() const { return nodes_; }        ///< of the parts it has taken
  uint64_t followed() const { return followed_; }  ///< so many parts
  uint64_t parts() const { return part_; }         ///< the parts seen; all, if there is no error
  size_t at() const { return at_; }                ///< in the tree

 private:
  /// The span V of some rows. A coset of V is named by the vector of it that has no leading bit of V.
  struct Node {
    int64_t sum = 0;               ///< of W over V
    uint32_t leading = 0;          ///< bits that the names of cosets do not have
    std::vector<uint32_t> cosets;  ///< that may be part of a row space of the node, ascending
    std::vector<int64_t> sums;     ///< of W, by name; kGone if it may not
  };

  bool is_whole();
  bool follow(unsigned depth);
  bool end(unsigned depth, int32_t number);
  template <class Work>
  bool part(Work work);
  bool enumerate(unsigned depth);
  bool descend(unsigned depth, uint32_t coset, bool (Replay::*then)(unsigned));
  bool closed(unsigned depth);
  Loads& loads();
  void remove_bad_loads(unsigned depth);
  void skip();
  bool fail(std::string why);
  void make_root(const std::vector<Group>& groups, uint32_t bits);
  void fold(const Node& from, uint32_t coset, Node& to) const;

  int64_t room(unsigned depth) const { return limit_ - nodes_of_[depth].sum; }
  /// Cosets in a row space, without V itself.
  int64_t needed(unsigned depth) const { return (int64_t{1} << (certificate_.bank_bits - depth)) - 1; }

  const Certificate& certificate_;
  uint64_t excess_;
  Loads loads_;
  int64_t limit_ = 0;           ///< a row space whose sum exceeds it has at least the excess
  std::vector<Node> nodes_of_;  ///< by depth
  std::vector<uint32_t> rows_;
  size_t at_ = 0;  ///< in the tree
  uint64_t nodes_ = 0;
  unsigned part_depth_ = 0;
  uint64_t followed_ = 0;
  std::atomic<uint64_t>* next_ = nullptr;
  uint64_t part_ = 0, mine_ = 0;  ///< the part that is walked over next, the one that it has taken
  std::array<uint64_t, 8> tried_{}, removed_{};
  std::string why_;
};

}  // namespace bankshot::verify
