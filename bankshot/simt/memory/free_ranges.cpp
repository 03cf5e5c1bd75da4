#include "bankshot/simt/memory/free_ranges.hpp"

#include <algorithm>

#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

/// Who stands above whom in the tree: numbers that look random. Source: the finaliser of SplitMix64 (Steele, Lea and
/// Flood 2014).
uint64_t rank(uint64_t start) {
  start = (start ^ start >> 30) * 0xbf58476d1ce4e5b9;
  start = (start ^ start >> 27) * 0x94d049bb133111eb;
  return start ^ start >> 31;
}

bool has_room(uint64_t start, uint64_t room, uint64_t bytes, uint64_t alignment) {
  const uint64_t place = round_up(start, alignment), skipped = place - start;
  return place >= start && skipped <= room && room - skipped >= bytes;
}

}  // namespace

void FreeRanges::give(uint64_t start, uint64_t bytes) {
  auto [low, high] = split(root_, start);
  Index before = low, after = high;
  while (nodes_[before].right != 0) before = nodes_[before].right;
  while (nodes_[after].left != 0) after = nodes_[after].left;
  const Node below = nodes_[before], above = nodes_[after];
  root_ = join(low, high);
  if (after != 0 && above.start == start + bytes) {
    erase(above.start);
    bytes += above.bytes;
  }
  if (before != 0 && below.start + below.bytes == start) {
    erase(below.start);
    start = below.start;
    bytes += below.bytes;
  }
  insert(start, bytes);
}

std::optional<uint64_t> FreeRanges::take(uint64_t bytes, uint64_t alignment) {
  const Index found = first_with_room(root_, bytes, alignment);
  if (found == 0) return std::nullopt;
  const Node range = nodes_[found];
  const uint64_t place = round_up(range.start, alignment), skipped = place - range.start;
  erase(range.start);
  if (skipped != 0) insert(range.start, skipped);
  if (range.bytes - skipped > bytes) insert(place + bytes, range.bytes - skipped - bytes);
  return place;
}

FreeRanges::Index FreeRanges::make(uint64_t start, uint64_t bytes) {
  Index node = static_cast<Index>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    node = unused_.back();
    unused_.pop_back();
  }
  nodes_[node] = {.start = start, .bytes = bytes, .most = bytes};
  return node;
}

void FreeRanges::insert(uint64_t start, uint64_t bytes) {
  const auto [low, high] = split(root_, start);
  root_ = join(join(low, make(start, bytes)), high);
}

void FreeRanges::erase(uint64_t start) {
  const auto [low, rest] = split(root_, start);
  const auto [node, high] = split(rest, start + 1);
  unused_.push_back(node);
  root_ = join(low, high);
}

std::pair<FreeRanges::Index, FreeRanges::Index> FreeRanges::split(Index tree, uint64_t start) {
  if (tree == 0) return {0, 0};
  Node& node = nodes_[tree];
  if (node.start < start) {
    const auto [low, high] = split(node.right, start);
    node.right = low;
    refresh(tree);
    return {tree, high};
  }
  const auto [low, high] = split(node.left, start);
  node.left = high;
  refresh(tree);
  return {low, tree};
}

FreeRanges::Index FreeRanges::join(Index low, Index high) {
  if (low == 0 || high == 0) return low + high;
  if (rank(nodes_[low].start) > rank(nodes_[high].start)) {
    nodes_[low].right = join(nodes_[low].right, high);
    refresh(low);
    return low;
  }
  nodes_[high].left = join(low, nodes_[high].left);
  refresh(high);
  return high;
}

void FreeRanges::refresh(Index tree) {
  Node& node = nodes_[tree];
  node.most = std::max({node.bytes, nodes_[node.left].most, nodes_[node.right].most});
}

FreeRanges::Index FreeRanges::first_with_room(Index tree, uint64_t bytes, uint64_t alignment) const {
  const Node& node = nodes_[tree];
  if (tree == 0 || node.most < bytes) return 0;
  if (const Index lower = first_with_room(node.left, bytes, alignment); lower != 0) return lower;
  if (has_room(node.start, node.bytes, bytes, alignment)) return tree;
  return first_with_room(node.right, bytes, alignment);
}

}  // namespace bankshot::simt
