// The tree of a certificate, step by step.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bankshot/verify/certificate.hpp"
#include "bankshot/verify/loads.hpp"

namespace bankshot::verify {

class Replay {
 public:
  /// @param groups  words with no other bits than `bits`
  /// @param excess  of the groups: nothing may have less
  Replay(const Certificate& certificate, const std::vector<Group>& groups, uint32_t bits, uint64_t excess);

  /// @return what is wrong, or nothing
  std::string run();
  uint64_t nodes() const { return nodes_; }

 private:
  /// The span V of some rows. A coset of V is named by the vector of it that has no leading bit of V.
  struct Node {
    int64_t sum = 0;               ///< of W over V
    uint32_t leading = 0;          ///< bits that the names of cosets do not have
    std::vector<uint32_t> cosets;  ///< that may be part of a row space of the node, ascending
    std::vector<int64_t> sums;     ///< of W, by name; kGone if it may not
  };

  bool follow(unsigned depth);
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
  std::array<uint64_t, 8> tried_{}, removed_{};
  std::string why_;
};

}  // namespace bankshot::verify
