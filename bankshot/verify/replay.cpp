#include "bankshot/verify/replay.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bankshot/verify/gf2.hpp"

namespace bankshot::verify {
namespace {

constexpr int64_t kGone = std::numeric_limits<int64_t>::max() / 2;
constexpr int32_t kEnd = 0, kEnumerate = -1;
constexpr uint64_t kManyParts = 256, kNoPart = uint64_t{1} << 62;

/// The first depth of which there are many nodes, else the last, below the root. It depends on nothing but the tree.
unsigned part_depth(const Certificate& c) {
  std::vector<uint64_t> nodes(c.bank_bits + 1, 0);
  unsigned depth = c.plain_low_bits;
  for (const int32_t number : c.tree) {
    if (number > 0 && depth < c.bank_bits) {
      ++nodes[++depth];
    } else if (depth > c.plain_low_bits) {
      --depth;
    }
  }
  for (depth = c.plain_low_bits + 1; depth < c.bank_bits && nodes[depth] < kManyParts; ++depth) {
  }
  return depth;
}

}  // namespace

Replay::Replay(const Certificate& certificate, const std::vector<Group>& groups, uint32_t bits, uint64_t excess)
    : certificate_(certificate),
      excess_(excess),
      loads_(groups, certificate.bank_bits),
      nodes_of_(certificate.bank_bits + 1),
      part_depth_(part_depth(certificate)) {
  make_root(groups, bits);
}

void Replay::make_root(const std::vector<Group>& groups, uint32_t bits) {
  const Certificate& c = certificate_;
  int64_t step = 0, weights = 0;
  for (const Group& group : groups) {
    step = std::gcd(step, static_cast<int64_t>(group.weight));
    weights += static_cast<int64_t>(group.weight);
  }
  // An excess is a multiple of `step`: more than the claimed one less a step is at least the claimed one.
  limit_ = (static_cast<int64_t>(excess_) - step + weights) * c.scale * (int64_t{1} << c.bank_bits);
  for (Node& node : nodes_of_) node.sums.assign(size_t{1} << c.address_bits, kGone);
  Node& root = nodes_of_[0];
  const uint32_t low = (uint32_t{1} << c.bank_bits) - 1;
  for (uint32_t h = 0; h < root.sums.size(); ++h) {
    if ((h & ~bits) != 0) continue;
    int64_t sum = 0;
    for (const Group& group : groups) {
      int64_t f = 0;
      for (uint32_t word : group.words) f += odd(h & word) ? -1 : 1;
      // scale * f * f / k, in parts that cannot overflow.
      const auto k = static_cast<int64_t>(group.words.size());
      sum += static_cast<int64_t>(group.weight) * (c.scale / k * f * f + c.scale % k * f * f / k);
    }
    if (h == 0) root.sum = sum;
    // In place, some sum of rows that is 0 on the low bits would map words of one aligned row alike.
    if (h == 0 || sum > room(0) || (c.in_place && (h & low) == 0)) continue;
    root.sums[h] = sum;
    root.cosets.push_back(h);
  }
}

std::string Replay::run(std::atomic<uint64_t>& next) {
  next_ = &next;
  mine_ = next++;
  unsigned depth = 0;
  for (; depth < certificate_.plain_low_bits; ++depth) {  // these rows every hash has
    const uint32_t row = uint32_t{1} << depth;
    const bool known = std::binary_search(nodes_of_[depth].cosets.begin(), nodes_of_[depth].cosets.end(), row);
    if (!known) return {};  // the plain bits cost more than the claim, all by themselves
    fold(nodes_of_[depth], row, nodes_of_[depth + 1]);
    rows_.push_back(row);
  }
  if (is_whole()) follow(depth);
  return why_;
}

/// Whether the tree is that of one node. What is followed or skipped is then whole as well.
bool Replay::is_whole() {
  const std::vector<int32_t>& tree = certificate_.tree;
  size_t open = 1, end = 0;
  for (; open != 0 && end < tree.size(); ++end) open = tree[end] > 0 ? open + 1 : open - 1;
  if (open == 0 && end == tree.size()) return true;
  at_ = end;
  return fail(open != 0 ? "the tree ends in the middle" : "the tree goes on after its end");
}

/// Of the rows of the node that is looked at. Many nodes are done without.
Loads& Replay::loads() {
  while (loads_.rows() < rows_.size()) loads_.add(rows_[loads_.rows()]);
  return loads_;
}

bool Replay::fail(std::string why) {
  why_ = rows_.empty() ? "at the root: "
                       : fmt::format("at the node of rows {} (number {} of the tree): ", fmt::join(rows_, " "), at_);
  why_ += why;
  *next_ = kNoPart;  // all parts before have been taken, and are followed; those behind need not be
  return false;
}

void Replay::fold(const Node& from, uint32_t coset, Node& to) const {
  const uint32_t top = std::bit_floor(coset);
  to.sum = from.sum + from.sums[coset];
  to.leading = from.leading | top;
  to.cosets.clear();
  const int64_t room = limit_ - to.sum;
  for (uint32_t x : from.cosets) {
    if ((x & top) != 0) continue;
    const int64_t other = from.sums[x ^ coset];
    if (from.sums[x] == kGone || other == kGone || from.sums[x] + other > room) continue;
    to.sums[x] = from.sums[x] + other;
    to.cosets.push_back(x);
  }
}

/// The next part of the tree, if it is one that this replay has taken.
template <class Work>
bool Replay::part(Work work) {
  if (part_++ != mine_) return true;
  tried_ = removed_ = {};  // parts taken by other threads must not matter
  const bool fine = work();
  ++followed_;
  mine_ = (*next_)++;
  return fine;
}

bool Replay::end(unsigned depth, int32_t number) {
  ++nodes_;
  if (number == kEnumerate) return enumerate(depth);
  return closed(depth) || (why_.empty() && fail("row spaces are left that no bound rules out"));
}

/// A node as the tree has it: children, then an end.
bool Replay::follow(unsigned depth) {
  Node& node = nodes_of_[depth];
  for (;;) {
    const int32_t number = certificate_.tree[at_++];
    if (number == kEnd || number == kEnumerate) {
      return depth < part_depth_ ? part([&] { return end(depth, number); }) : end(depth, number);
    }
    if (needed(depth) <= 1) return fail("it has children, though at most one row is missing");
    uint32_t coset = static_cast<uint32_t>(number);
    // The row without leading bits of V.
    Basis rows;
    for (uint32_t row : rows_) rows.add(row);
    coset = rows.rest(coset);
    if (node.sums[coset] == kGone) {  // nothing below it is left to be shown
      skip();
    } else {
      const auto down = [&] { return descend(depth, coset, &Replay::follow); };
      const size_t behind = at_;
      if (!(depth + 1 == part_depth_ ? part(down) : down())) return false;
      if (at_ == behind) skip();  // another replay follows it
      node.sums[coset] = kGone;
    }
  }
}

/// Passes over a node and all below it.
void Replay::skip() {
  for (size_t open = 1; open != 0; ++at_) open = certificate_.tree[at_] > 0 ? open + 1 : open - 1;
}

bool Replay::descend(unsigned depth, uint32_t coset, bool (Replay::*then)(unsigned)) {
  rows_.push_back(coset);
  Node& child = nodes_of_[depth + 1];
  fold(nodes_of_[depth], coset, child);
  const bool fine = (this->*then)(depth + 1);
  for (uint32_t x : child.cosets) child.sums[x] = kGone;
  rows_.pop_back();
  while (loads_.rows() > rows_.size()) loads_.take_back();
  return fine;
}

/// Whether nothing is left: see check().
bool Replay::closed(unsigned depth) {
  const int64_t need = needed(depth);
  if (need > 0 && static_cast<int64_t>(nodes_of_[depth].cosets.size()) < need) return true;  // too few
  if (loads().least() >= excess_) return true;
  if (need == 0) return fail(fmt::format("these rows have excess {}", loads().least()));
  Node& node = nodes_of_[depth];
  std::erase_if(node.cosets, [&](uint32_t x) { return node.sums[x] == kGone; });
  std::vector<uint32_t> rising = node.cosets;
  std::sort(rising.begin(), rising.end(), [&](uint32_t a, uint32_t b) { return node.sums[a] < node.sums[b]; });
  int64_t sum = node.sum, count = 0;
  for (uint32_t x : rising) {
    if (static_cast<__int128>(need - count) * node.sums[x] > limit_ - sum) return true;  // the rest are no smaller
    if (loads().least(x, excess_) >= excess_) continue;
    if (need == 1) return fail(fmt::format("with row {} the excess is {}", x, loads().least(x, excess_)));
    sum += node.sums[x];
    if (++count == need) return false;
  }
  return true;  // too few
}

void Replay::remove_bad_loads(unsigned depth) {
  // Where it seldom helps it is left to the nodes below.
  if (tried_[depth] >= 4096 && removed_[depth] * 16 < tried_[depth]) return;
  Node& node = nodes_of_[depth];
  std::erase_if(node.cosets, [&](uint32_t x) {
    if (node.sums[x] == kGone) return true;
    const bool bad = loads().least(x, excess_) >= excess_;
    ++tried_[depth];
    removed_[depth] += bad;
    if (bad) node.sums[x] = kGone;
    return bad;
  });
}

/// All row spaces of a node, one after the other, as far as bounds do not rule them out.
bool Replay::enumerate(unsigned depth) {
  ++nodes_;
  const int64_t need = needed(depth);
  if (need <= 1 || static_cast<int64_t>(nodes_of_[depth].cosets.size()) < need) return closed(depth);
  Node& node = nodes_of_[depth];
  remove_bad_loads(depth);
  if (static_cast<int64_t>(node.cosets.size()) < need) return true;
  // One of the cosets of a row space has at most their mean.
  const int64_t mean = room(depth) / need;
  for (uint32_t x : std::vector<uint32_t>(node.cosets)) {
    if (node.sums[x] > mean) continue;
    if (!descend(depth, x, &Replay::enumerate)) return false;
    node.sums[x] = kGone;
  }
  return true;
}

}  // namespace bankshot::verify
