// Ranges of addresses that are free again: neighbours are merged, and an allocation may take part of a range.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace bankshot::simt {

/// A search tree by address in which each node knows the largest range below it, so that the lowest place with room is
/// found without a look at all that have none. It is balanced by numbers that are drawn from the addresses (a treap):
/// the same on every host.
class FreeRanges {
 public:
  /// The range was not free before.
  void give(uint64_t start, uint64_t bytes);
  /// Takes the lowest place with room for so many bytes; nothing if there is none. @param alignment  power of two
  std::optional<uint64_t> take(uint64_t bytes, uint64_t alignment);

 private:
  using Index = uint32_t;  ///< of a node; 0: none
  struct Node {
    uint64_t start = 0, bytes = 0;
    uint64_t most = 0;  ///< bytes of the largest range in this subtree
    Index left = 0, right = 0;
  };

  Index make(uint64_t start, uint64_t bytes);
  void insert(uint64_t start, uint64_t bytes);
  void erase(uint64_t start);
  /// Ranges that start below `start`, and the others.
  std::pair<Index, Index> split(Index tree, uint64_t start);
  /// All of `low` are below all of `high`.
  Index join(Index low, Index high);
  void refresh(Index tree);
  Index first_with_room(Index tree, uint64_t bytes, uint64_t alignment) const;

  std::vector<Node> nodes_ = std::vector<Node>(1);  ///< node 0 is no range
  std::vector<Index> unused_;
  Index root_ = 0;
};

}  // namespace bankshot::simt
