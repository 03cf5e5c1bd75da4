#include "bankshot/search/tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace bankshot::search {
namespace {

/// A node is the span V of the rows chosen; the row spaces below it hold V and nothing that an earlier node has dealt with.
/// Its cosets, vectors up to V, are numbered by coordinates of their own, and each has the sum of W over its vectors.
/// @tparam Sum  int32_t if it holds every sum below the limit, else int64_t
template <class Sum>
class Tree {
 public:
  Tree(const Quotient& quotient, unsigned bank_bits, const Restriction& restriction, const Spectrum& spectrum,
       Incumbent::Clock::time_point deadline, Incumbent& best, Transcript* transcript)
      : bank_bits_(bank_bits),
        plain_(restriction.plain_low_bits),
        deadline_(deadline),
        best_(best),
        transcript_(transcript),
        loads_(quotient.groups, bank_bits),
        scale_(spectrum.scale << bank_bits),
        total_weight_(spectrum.total_weight),
        layers_(bank_bits + 1),
        tried_(bank_bits + 1, 0),
        removed_(bank_bits + 1, 0) {
    for (const scratchpad::Group& group : quotient.groups) step_ = std::gcd(step_, group.weight);
    step_ = std::max<uint64_t>(step_, 1);
    set_limit();
    for (unsigned d = 0; d < layers_.size(); ++d) layers_[d].sums.assign(size_t{1} << (quotient.bits - d), kGone);
    Layer& root = layers_[0];
    root.chosen = static_cast<Sum>(spectrum.value[0]);
    for (unsigned j = 0; j < quotient.bits; ++j) root.basis.push_back(uint32_t{1} << j);
    const uint32_t aligned = restriction.in_place ? (uint32_t{1} << bank_bits) - 1 : ~uint32_t{0};
    for (uint32_t x = 1; x < root.sums.size(); ++x) {
      // What is zero on the low bits is in no row space that is in place.
      if (spectrum.value[x] > limit_ - root.chosen || (x & aligned) == 0) continue;
      root.sums[x] = static_cast<Sum>(spectrum.value[x]);
      root.list.push_back(x);
    }
    for (unsigned bit = 0; bit < plain_; ++bit) {  // the first coordinate that is left, each time
      rows_.push_back(vector_of(layers_[bit], 1));
      fold(layers_[bit], 1, layers_[bit + 1]);
    }
  }

  TreeResult run() {
    lower_bound_ = std::max(best_.floor, least_with_one_more());
    visit(plain_);
    return {!timed_out_, std::min(timed_out_ ? lower_bound_ : best_.excess, best_.excess)};
  }

  static bool fits(const Spectrum& spectrum, unsigned bank_bits, uint64_t excess) {
    return (static_cast<double>(excess) + static_cast<double>(spectrum.total_weight)) * static_cast<double>(spectrum.scale << bank_bits) < kGone / 2;
  }

 private:
  static constexpr Sum kGone = std::numeric_limits<Sum>::max() / 2;  // two of them can be added

  struct Layer {
    std::vector<Sum> sums;            ///< of each coset that a row space may hold, else kGone
    std::vector<uint32_t> list;       ///< these cosets, ascending; some may be gone since
    std::vector<uint32_t> order;      ///< those to branch to
    std::vector<uint32_t> basis;      ///< of what is left of the space: index bits of cosets
    Sum chosen = 0;                   ///< sum over V
  };

  /// The largest sum of W over a whole row space whose bound is still below the incumbent.
  void set_limit() {
    limit_ = static_cast<Sum>((static_cast<int64_t>(best_.excess) - static_cast<int64_t>(step_) + total_weight_) * scale_);
  }

  uint64_t bound_of(int64_t sum) const {
    const int64_t whole = (sum + scale_ - 1) / scale_ - total_weight_;
    const auto excess = static_cast<uint64_t>(std::max<int64_t>(whole, 0));
    return std::max((excess + step_ - 1) / step_ * step_, best_.floor);
  }

  uint32_t vector_of(const Layer& layer, uint32_t coset) const {
    uint32_t row = 0;
    for (; coset != 0; coset &= coset - 1) row ^= layer.basis[static_cast<size_t>(std::countr_zero(coset))];
    return row;
  }

  void remove(Layer& layer, uint32_t coset) { layer.sums[coset] = kGone; }

  /// The node with one coset more. Index bit `top` goes: x and x ^ coset are one coset now.
  void fold(const Layer& from, uint32_t coset, Layer& to) {
    const unsigned top = static_cast<unsigned>(std::bit_width(coset)) - 1;
    const uint32_t below = (uint32_t{1} << top) - 1;
    to.chosen = from.chosen + from.sums[coset];
    const Sum room = limit_ - to.chosen;
    to.list.clear();
    for (uint32_t x : from.list) {
      if ((x >> top & 1) != 0) continue;
      const Sum sum = from.sums[x] + from.sums[x ^ coset];
      if (sum > room) continue;
      const uint32_t index = (x & ~below) >> 1 | (x & below);
      to.sums[index] = sum;
      to.list.push_back(index);
    }
    to.basis = from.basis;
    to.basis.erase(to.basis.begin() + top);
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
    for (uint32_t x : layer.list) least.push_back(loads(plain_).least(vector_of(layer, x), best_.excess));
    if (least.size() < need) return best_.excess;
    std::nth_element(least.begin(), least.begin() + static_cast<ptrdiff_t>(need - 1), least.end());
    return std::min(least[need - 1], best_.excess);
  }

  /// Removes cosets that the sums or the loads rule out in all row spaces of the node.
  void thin(Layer& layer, unsigned depth, Sum need) {
    const Sum room = limit_ - layer.chosen;
    Sum least = kGone;
    for (uint32_t x : layer.list) least = std::min(least, layer.sums[x]);
    const int64_t others = static_cast<int64_t>(need - 1) * least;
    // Where it seldom helps it is not worth its time; what it would remove is removed further down.
    const bool by_loads = depth > 0 && (tried_[depth] < 4096 || removed_[depth] * 16 >= tried_[depth]);
    std::erase_if(layer.list, [&](uint32_t x) {
      bool out = layer.sums[x] + others > room;
      if (!out && by_loads) {
        out = loads(depth).least(vector_of(layer, x), best_.excess) >= best_.excess;
        ++tried_[depth];
        removed_[depth] += out;
      }
      if (out) remove(layer, x);
      return out;
    });
  }

  /// One row is missing: all that may be it.
  void finish(Layer& layer, unsigned depth) {
    for (uint32_t x : layer.list) {
      if (layer.sums[x] > limit_ - layer.chosen) continue;
      const uint32_t row = vector_of(layer, x);
      ++best_.evaluated;
      const uint64_t excess = loads(depth).least(row, best_.excess);
      if (excess >= best_.excess) continue;
      rows_.push_back(row);
      best_.take(rows_, excess);
      rows_.pop_back();
      set_limit();
      if (best_.at_floor()) return;
    }
  }

  /// The cosets to branch to: every row space of the node holds one whose sum is at most the mean. In rising order if that is
  /// a selection; in the order of their numbers otherwise, since then few nodes share most of the row spaces.
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
    const auto need = static_cast<Sum>((uint64_t{1} << (bank_bits_ - depth)) - 1);  // cosets of V in the whole, but V
    bool branched = false;
    if (need == 1) {
      finish(layer, depth);
    } else {
      thin(layer, depth, need);
      if (layer.list.size() >= static_cast<size_t>(need)) branched = branch(layer, depth, need);
    }
    for (uint32_t x : layer.list) remove(layer, x);
    if (transcript_ != nullptr) transcript_->leave(depth, branched);
    if ((++visits_ & 63) == 0 && Incumbent::Clock::now() > deadline_) timed_out_ = true;
  }

  /// @return whether there was anything to branch to
  bool branch(Layer& layer, unsigned depth, Sum need) {
    const Sum most = (limit_ - layer.chosen) / need;
    const bool rising = choose(layer, most);
    bool branched = false;
    for (size_t k = 0; k < layer.order.size(); ++k) {
      const uint32_t x = layer.order[k];
      if (rising) {
        const int64_t sum = least_sum(layer, k, need, most);
        if (depth == plain_) lower_bound_ = std::max(lower_bound_, bound_of(std::min<int64_t>(sum, int64_t{limit_} + 1)));
        if (sum > limit_) break;
      }
      branched = true;
      rows_.push_back(vector_of(layer, x));
      if (transcript_ != nullptr) transcript_->enter(depth + 1, rows_.back());
      fold(layer, x, layers_[depth + 1]);
      visit(depth + 1);
      while (loads_.depth() > depth) loads_.pop();
      rows_.pop_back();
      if (timed_out_ || best_.at_floor()) break;
      remove(layer, x);
    }
    return branched;
  }

  unsigned bank_bits_, plain_;
  Incumbent::Clock::time_point deadline_;
  Incumbent& best_;
  Transcript* transcript_;
  PartialLoads loads_;
  int64_t scale_, total_weight_;
  Sum limit_ = 0;
  uint64_t step_ = 0, lower_bound_ = 0, visits_ = 0;
  bool timed_out_ = false;
  std::vector<Layer> layers_;
  std::vector<uint32_t> rows_;
  std::vector<uint64_t> tried_, removed_;  ///< by depth: cosets whose loads were looked at, and that they ruled out
};

template <class Sum>
TreeResult search_with(const Quotient& quotient, unsigned bank_bits, const Restriction& restriction, const Spectrum& spectrum,
                       Incumbent::Clock::time_point deadline, Incumbent& best, Transcript* transcript) {
  return Tree<Sum>(quotient, bank_bits, restriction, spectrum, deadline, best, transcript).run();
}

}  // namespace

TreeResult search_tree(const Quotient& quotient, unsigned bank_bits, const Restriction& restriction, const Spectrum& spectrum,
                       Incumbent::Clock::time_point deadline, Incumbent& best, Transcript* transcript) {
  const bool narrow = Tree<int32_t>::fits(spectrum, bank_bits, best.excess);
  return (narrow ? search_with<int32_t> : search_with<int64_t>)(quotient, bank_bits, restriction, spectrum, deadline, best, transcript);
}

}  // namespace bankshot::search
