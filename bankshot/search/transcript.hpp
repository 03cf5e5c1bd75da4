// What a search did, kept for a proof.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankshot::search {

/// The tree of a branch and bound, in the order of the search: a row for every child a node branches to, followed by
/// that node, and an end where a node is done. Deep parts give way when it gets long: such a node says that whoever
/// checks has to enumerate what is below.
class Transcript {
 public:
  static constexpr int32_t kEnd = 0, kEnumerate = -1;

  /// @param top    rows of the root  @param bottom  rows of the deepest nodes  @param limit  numbers to keep
  Transcript(unsigned top, unsigned bottom, size_t limit) : top_(top), kept_(bottom), limit_(limit) {}

  /// A child with `depth` rows, `row` the last of them.
  void enter(unsigned depth, uint32_t row);
  /// The node with `depth` rows is done.
  void leave(unsigned depth, bool has_children);

  /// An empty one for children of the same root, and
  Transcript child() const { return Transcript(top_, kept_, limit_); }
  /// what another search of children of the same root did.
  void append(const Transcript& other);

  const std::vector<int32_t>& numbers() const { return numbers_; }

 private:
  void add(int32_t number);
  void forget_deepest();

  unsigned top_, kept_;  ///< nodes of more rows than kept_ are not recorded
  size_t limit_;
  std::vector<int32_t> numbers_;
};

}  // namespace bankshot::search
