// One branch of the search over row spaces.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include "bankshot/search/fold.hpp"
#include "bankshot/search/incumbent.hpp"
#include "bankshot/search/spectrum.hpp"
#include "bankshot/search/transcript.hpp"

namespace bankshot::search {

/// What is known when children of the root are searched, and what one such search finds out.
struct State {
  std::vector<uint32_t> rows;  ///< a better row space than before, if one was found
  uint64_t excess = 0;         ///< of the best one
  uint64_t evaluated = 0;
  bool timed_out = false;
  /// By depth: cosets whose loads were looked at, and that they ruled out.
  std::array<uint64_t, scratchpad::kMaxBankBits + 1> tried{}, removed{};
  std::optional<Transcript> transcript;
};

/// A node is the span V of the rows chosen; the row spaces below it hold V and nothing that an earlier node has dealt
/// with. Its cosets (vectors modulo V) are numbered by their own coordinates, and each has the sum of W over its
/// vectors.
/// @tparam Sum  int32_t if it holds every sum below the limit, else int64_t
template <class Sum>
class Tree {
 public:
  Tree(const Quotient& quotient, unsigned bank_bits, const Restriction& restriction, const Spectrum& spectrum,
       Incumbent::Clock::time_point deadline, uint64_t floor, uint64_t excess)
      : bank_bits_(bank_bits),
        plain_(restriction.plain_low_bits),
        deadline_(deadline),
        floor_(floor),
        loads_(quotient.groups, bank_bits),
        scale_(spectrum.scale << bank_bits),
        total_weight_(spectrum.total_weight),
        layers_(bank_bits + 1) {
    for (const scratchpad::Group& group : quotient.groups) step_ = std::gcd(step_, group.weight);
    step_ = std::max<uint64_t>(step_, 1);
    state_.excess = excess;
    set_limit();
    for (unsigned d = 0; d < layers_.size(); ++d) layers_[d].sums.assign(size_t{1} << (quotient.bits - d), kGone);
    Layer& first = layers_[0];
    first.chosen = static_cast<Sum>(spectrum.value[0]);
    for (unsigned j = 0; j < quotient.bits; ++j) first.basis[j] = uint32_t{1} << j;
    const uint32_t aligned = restriction.in_place ? (uint32_t{1} << bank_bits) - 1 : ~uint32_t{0};
    for (uint32_t x = 1; x < first.sums.size(); ++x) {
      // What is zero on the low bits is in no row space that is in place.
      if (spectrum.value[x] > limit_ - first.chosen || (x & aligned) == 0) continue;
      first.sums[x] = static_cast<Sum>(spectrum.value[x]);
      first.list.push_back(x);
    }
    for (unsigned bit = 0; bit < plain_; ++bit) {  // the first coordinate that is left, each time
      rows_.push_back(vector_of(layers_[bit], 1));
      fold(layers_[bit], 1, layers_[bit + 1]);
    }
  }

  /// Makes the root ready. @return how many children there are to search
  size_t open() {
    Layer& root = layers_[plain_];
    lower_bound_ = std::max(floor_, least_with_one_more());
    thin(root, plain_, cosets_needed(plain_));
    if (root.list.size() < static_cast<size_t>(cosets_needed(plain_))) return 0;
    most_ = (limit_ - root.chosen) / cosets_needed(plain_);
    rising_ = choose(root, most_);
    return root.order.size();
  }

  /// Whether no row space is left without the first k children, given the best so far. Called for k in ascending order.
  bool done_without(size_t k, uint64_t excess) {
    if (!rising_) return false;
    state_.excess = excess;
    set_limit();
    const int64_t sum = least_sum(layers_[plain_], k, cosets_needed(plain_), most_);
    lower_bound_ = std::max(lower_bound_, bound_of(std::min<int64_t>(sum, int64_t{limit_} + 1)));
    return sum > limit_;
  }

  uint64_t lower_bound() const { return lower_bound_; }

  /// Searches the k-th child of the root for something better than `known`; those before it are dealt with. Asked for
  /// in rising order, not of all k. What it does depends on nothing else.
  State search(size_t k, const State& known) {
    state_ = known;
    if (late_) {
      state_.timed_out = true;
      return std::move(state_);
    }
    set_limit();
    Layer& root = layers_[plain_];
    for (; gone_ < k; ++gone_) remove(root, root.order[gone_]);
    if (root.sums[root.order[k]] <= limit_ - root.chosen) {
      descend(root, plain_, root.order[k]);
    } else if (state_.transcript) {  // a better hash was found since the root was made ready
      state_.transcript->enter(plain_ + 1, vector_of(root, root.order[k]));
      state_.transcript->leave(plain_ + 1, false);
    }
    return std::move(state_);
  }

  static bool fits(const Spectrum& spectrum, unsigned bank_bits, uint64_t excess) {
    return (static_cast<double>(excess) + static_cast<double>(spectrum.total_weight)) *
               static_cast<double>(spectrum.scale << bank_bits) <
           kGone / 2;
  }

 private:
  static constexpr size_t kSidesBetweenClocks = 4096;                // some hundred microseconds
  static constexpr Sum kGone = std::numeric_limits<Sum>::max() / 2;  // two of them can be added

  struct Layer {
    std::vector<Sum> sums;                                      ///< of each coset that a row space may hold, else kGone
    std::vector<uint32_t> list;                                 ///< these cosets, ascending; some may be gone since
    std::vector<uint32_t> order;                                ///< those to branch to
    std::array<uint32_t, scratchpad::kMaxAddressBits> basis{};  ///< of what is left of the space: index bits of cosets
    Sum chosen = 0;                                             ///< sum over V
  };

  /// The largest sum of W over a whole row space whose bound is still below the incumbent.
  void set_limit() {
    limit_ =
        static_cast<Sum>((static_cast<int64_t>(state_.excess) - static_cast<int64_t>(step_) + total_weight_) * scale_);
  }

  uint64_t bound_of(int64_t sum) const {
    const int64_t whole = (sum + scale_ - 1) / scale_ - total_weight_;
    const auto excess = static_cast<uint64_t>(std::max<int64_t>(whole, 0));
    return std::max((excess + step_ - 1) / step_ * step_, floor_);
  }

  uint32_t vector_of(const Layer& layer, uint32_t coset) const {
    uint32_t row = 0;
    for (; coset != 0; coset &= coset - 1) row ^= layer.basis[static_cast<size_t>(std::countr_zero(coset))];
    return row;
  }

  bool at_floor() const { return state_.excess <= floor_; }
  /// Cosets of the rows of a node in a whole row space, without themselves.
  Sum cosets_needed(unsigned depth) const { return static_cast<Sum>((uint64_t{1} << (bank_bits_ - depth)) - 1); }

  void remove(Layer& layer, uint32_t coset) { layer.sums[coset] = kGone; }

  /// The node with one coset more. Index bit `top` goes: x and x ^ coset are one coset now.
  void fold(const Layer& from, uint32_t coset, Layer& to) {
    const unsigned top = static_cast<unsigned>(std::bit_width(coset)) - 1;
    const uint32_t below = (uint32_t{1} << top) - 1;
    to.chosen = from.chosen + from.sums[coset];
    const Sum room = limit_ - to.chosen;
    const bool many = from.list.size() * 32 > from.sums.size();  // then all at once is faster than those that are left
    if (many && std::is_same_v<Sum, int32_t> && can_fold(coset, from.sums.size())) {
      fold_all(from, coset, room, to);
    } else {
      to.list.clear();
      for (uint32_t x : from.list) {
        if ((x >> top & 1) != 0) continue;
        const Sum sum = from.sums[x] + from.sums[x ^ coset];
        if (sum > room) continue;
        const uint32_t index = (x & ~below) >> 1 | (x & below);
        to.sums[index] = sum;
        to.list.push_back(index);
      }
    }
    std::copy_n(from.basis.begin(), top, to.basis.begin());
    std::copy(from.basis.begin() + top + 1, from.basis.end(), to.basis.begin() + top);
  }

  void fold_all(const Layer& from, uint32_t coset, Sum room, Layer& to) {
    if constexpr (std::is_same_v<Sum, int32_t>) {
      indices_.resize(layers_[0].sums.size());
      const size_t count =
          search::fold(from.sums.data(), from.sums.size(), coset, room, kGone, to.sums.data(), indices_.data());
      to.list.assign(indices_.begin(), indices_.begin() + static_cast<ptrdiff_t>(count));
    }
  }

  /// The partial loads of the rows of a node.
  PartialLoads& loads(unsigned depth) {
    while (loads_.depth() < depth) loads_.push(rows_[loads_.depth()]);
    return loads_;
  }

  /// A row space has as many vectors as `need`, and at least the least excess of each.
  uint64_t least_with_one_more() {
    Layer& layer = layers_[plain_];
    const size_t need = (size_t{1} << (bank_bits_ - plain_)) - 1;
    std::vector<uint64_t> least;
    for (uint32_t x : layer.list) {
      if (late()) return floor_;
      least.push_back(loads(plain_).least(vector_of(layer, x), state_.excess));
    }
    if (least.size() < need) return state_.excess;
    std::nth_element(least.begin(), least.begin() + static_cast<ptrdiff_t>(need - 1), least.end());
    return std::min(least[need - 1], state_.excess);
  }

  /// Removes cosets that the sums or the loads rule out in all row spaces of the node.
  void thin(Layer& layer, unsigned depth, Sum need) {
    if (layer.list.empty()) return;
    const Sum room = limit_ - layer.chosen;
    Sum least = kGone;
    for (uint32_t x : layer.list) least = std::min(least, layer.sums[x]);
    const int64_t others = static_cast<int64_t>(need - 1) * least;
    // Where it seldom helps it is not worth its time; what it would remove is removed further down.
    const bool by_loads =
        depth > 0 && (state_.tried[depth] < 4096 || state_.removed[depth] * 16 >= state_.tried[depth]);
    std::erase_if(layer.list, [&](uint32_t x) {
      bool out = layer.sums[x] + others > room;
      if (!out && by_loads && !late()) {
        out = loads(depth).least(vector_of(layer, x), state_.excess) >= state_.excess;
        ++state_.tried[depth];
        state_.removed[depth] += out;
      }
      if (out) remove(layer, x);
      return out;
    });
  }

  /// The rows of a hash, and its excess.
  void offer(uint64_t excess) {
    if (excess >= state_.excess) return;
    state_.rows = rows_;
    state_.excess = excess;
    set_limit();
  }

  /// One row is missing: all that may be it.
  void finish(Layer& layer, unsigned depth) {
    for (uint32_t x : layer.list) {
      if (layer.sums[x] > limit_ - layer.chosen) continue;
      if (late()) return;
      const uint32_t row = vector_of(layer, x);
      ++state_.evaluated;
      const uint64_t excess = loads(depth).least(row, state_.excess);
      if (excess >= state_.excess) continue;
      rows_.push_back(row);
      offer(excess);
      rows_.pop_back();
      if (at_floor()) return;
    }
  }

  /// The cosets to branch to: every row space of the node holds one whose sum is at most the mean. In rising order if
  /// that is a selection; in the order of their numbers otherwise, since then few nodes share most of the row spaces.
  /// @return whether they are in rising order
  bool choose(Layer& layer, Sum most) const {
    layer.order.clear();
    for (uint32_t x : layer.list) {
      if (layer.sums[x] <= most) layer.order.push_back(x);
    }
    if (layer.order.size() * 2 > layer.list.size()) return false;
    std::sort(layer.order.begin(), layer.order.end(), [&](uint32_t a, uint32_t b) {
      return layer.sums[a] != layer.sums[b] ? layer.sums[a] < layer.sums[b] : a < b;
    });
    return true;
  }

  /// What a row space's cosets add up to at least if none is before the k-th in rising order.
  int64_t least_sum(const Layer& layer, size_t k, Sum need, Sum most) const {
    int64_t sum = layer.chosen;
    for (size_t j = k; j < k + static_cast<size_t>(need); ++j) {
      sum += j < layer.order.size() ? layer.sums[layer.order[j]] : most + 1;
      if (sum > limit_) break;
    }
    return sum;
  }

  void visit(unsigned depth) {
    Layer& layer = layers_[depth];
    const Sum need = cosets_needed(depth);
    bool branched = false;
    if (need == 0) {  // the root had all rows but one
      ++state_.evaluated;
      offer(loads(depth).least());
    } else if (need == 1) {
      finish(layer, depth);
    } else {
      thin(layer, depth, need);
      if (layer.list.size() >= static_cast<size_t>(need)) branched = branch(layer, depth, need);
    }
    for (uint32_t x : layer.list) remove(layer, x);
    if (state_.transcript) state_.transcript->leave(depth, branched);
    if ((++visits_ & 63) == 0) look_at_clock();
    state_.timed_out = late_;
  }

  /// Whether time is up, before loads are looked at: the clock is asked after so many sides, since a node of many
  /// groups takes long by itself. What is not looked at any more is left undecided.
  bool late() {
    work_ += loads_.sides() + 1;
    if (work_ >= kSidesBetweenClocks) look_at_clock();
    return late_;
  }
  void look_at_clock() {
    work_ = 0;
    if (Incumbent::Clock::now() > deadline_) late_ = true;
  }

  /// @return whether there was anything to branch to
  bool branch(Layer& layer, unsigned depth, Sum need) {
    const Sum most = (limit_ - layer.chosen) / need;
    const bool rising = choose(layer, most);
    bool branched = false;
    for (size_t k = 0; k < layer.order.size(); ++k) {
      if (rising && least_sum(layer, k, need, most) > limit_) break;
      if (late_) break;
      branched = true;
      descend(layer, depth, layer.order[k]);
      if (state_.timed_out || at_floor()) break;
      remove(layer, layer.order[k]);
    }
    return branched;
  }

  void descend(Layer& layer, unsigned depth, uint32_t coset) {
    rows_.push_back(vector_of(layer, coset));
    if (state_.transcript) state_.transcript->enter(depth + 1, rows_.back());
    fold(layer, coset, layers_[depth + 1]);
    visit(depth + 1);
    while (loads_.depth() > depth) loads_.pop();
    rows_.pop_back();
  }

  unsigned bank_bits_, plain_;
  Incumbent::Clock::time_point deadline_;
  uint64_t floor_;
  PartialLoads loads_;
  int64_t scale_, total_weight_;
  Sum limit_ = 0, most_ = 0;
  bool rising_ = false, late_ = false;
  uint64_t step_ = 0, lower_bound_ = 0, visits_ = 0;
  size_t work_ = kSidesBetweenClocks;  ///< sides since the clock was last asked
  size_t gone_ = 0;                    ///< children of the root that are removed
  State state_;
  std::vector<Layer> layers_;
  std::vector<uint32_t> indices_;  ///< scratch of fold_all()
  std::vector<uint32_t> rows_;
};

}  // namespace bankshot::search
