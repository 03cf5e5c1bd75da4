// Branch and bound over row spaces.
#include "bankshot/search/optimal.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <random>

#include "bankshot/scratchpad/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/quotient.hpp"
#include "bankshot/search/spectrum.hpp"

namespace bankshot::search {
namespace {

using Clock = std::chrono::steady_clock;
using scratchpad::Group;

constexpr int64_t kExcluded = std::numeric_limits<int64_t>::max() / 256;  // adding two of them does not overflow

uint64_t excess_at_degree(const Group& group, uint64_t degree) { return group.weight * (degree - 1); }

/// The words that no hash separates: all over the banks, or the lanes of atomics on one word.
uint64_t least_degree(const Group& group, unsigned bank_bits) {
  uint64_t most_equal = 1, equal = 1;
  for (size_t k = 1; k < group.words.size(); ++k) {
    equal = group.words[k] == group.words[k - 1] ? equal + 1 : 1;
    most_equal = std::max(most_equal, equal);
  }
  return std::max<uint64_t>(most_equal, (group.words.size() + (size_t{1} << bank_bits) - 1) >> bank_bits);
}

class Search {
 public:
  Search(const Quotient& quotient, unsigned bank_bits, unsigned plain, Clock::time_point deadline)
      : groups_(quotient.groups),
        bits_(quotient.bits),
        bank_bits_(bank_bits),
        plain_(plain),
        deadline_(deadline),
        evaluator_(quotient.groups) {
    for (const Group& group : groups_) {
      step_ = std::gcd(step_, group.weight);
      floor_ += excess_at_degree(group, least_degree(group, bank_bits));
    }
    step_ = std::max<uint64_t>(step_, 1);
  }

  /// An incumbent; worse ones are ignored. @return whether it is better
  bool offer(const std::vector<uint32_t>& rows) {
    ++evaluated;
    const uint64_t excess = evaluator_.excess(rows);
    if (!best.empty() && excess >= best_excess) return false;
    best = rows;
    best_excess = excess;
    return true;
  }

  /// Rows with the plain bits in front, then those of `wanted` that are independent; empty if too few are.
  std::vector<uint32_t> start(const std::vector<uint32_t>& wanted) const {
    std::vector<uint32_t> rows;
    for (unsigned bit = 0; bit < plain_; ++bit) rows.push_back(uint32_t{1} << bit);
    for (size_t k = 0; k < wanted.size() && rows.size() < bank_bits_; ++k) {
      rows.push_back(wanted[k]);
      if (scratchpad::rank(rows) < rows.size()) rows.pop_back();
    }
    if (rows.size() < bank_bits_) rows.clear();
    return rows;
  }

  /// Exact best row for each bank bit in turn but the plain ones, until none helps.
  void descend(std::vector<uint32_t> rows) {
    uint64_t excess = evaluator_.excess(rows);
    for (unsigned since = 0, i = plain_; since < bank_bits_ - plain_; i = i + 1 == bank_bits_ ? plain_ : i + 1) {
      ++since;
      std::vector<uint32_t> others = rows;
      others.erase(others.begin() + i);
      const std::vector<uint32_t> basis = scratchpad::reduced(others);
      uint32_t pivots = 0;
      for (uint32_t row : basis) pivots |= std::bit_floor(row);
      std::vector<uint32_t> trial = rows;
      for (uint32_t h = 1; h < uint32_t{1} << bits_; ++h) {
        if ((h & pivots) != 0) continue;  // one row of each coset
        trial[i] = h;
        ++evaluated;
        const uint64_t own = evaluator_.excess(trial);
        if (own >= excess) continue;
        excess = own;
        rows[i] = h;
        since = 0;
      }
      if (excess == floor_ || Clock::now() > deadline_) break;
    }
    offer(rows);
  }

  bool at_floor() const { return !best.empty() && best_excess <= floor_; }
  uint64_t floor() const { return floor_; }

  /// Proves the incumbent best or finds better ones. @return whether it came to an end
  bool run() {
    const Spectrum s = spectrum(groups_, bits_);
    scale_ = s.scale << bank_bits_;
    total_weight_ = s.total_weight;
    lower_bound_ = floor_;
    layers_.resize(bank_bits_ + 1);
    layers_[0].sums = s.value;
    layers_[0].basis.resize(bits_);
    for (unsigned j = 0; j < bits_; ++j) layers_[0].basis[j] = uint32_t{1} << j;
    layers_[0].chosen = s.value[0];
    rows_.clear();
    for (unsigned bit = 0; bit < plain_; ++bit) {  // the first coordinate that is left, each time
      rows_.push_back(vector_of(layers_[bit], 1));
      take(layers_[bit], 1, layers_[bit + 1]);
    }
    set_limit();
    visit(plain_);
    if (!timed_out_) lower_bound_ = best_excess;
    return !timed_out_;
  }

  uint64_t lower_bound() const { return std::min(lower_bound_, best_excess); }

  std::vector<uint32_t> best;
  uint64_t best_excess = 0, evaluated = 0;

 private:
  /// What is known when d rows are chosen: sums of W over the cosets of their span V.
  struct Layer {
    std::vector<int64_t> sums;        ///< of each coset; index bits stand for `basis`
    std::vector<uint32_t> basis;      ///< of the quotient by V
    int64_t chosen = 0;               ///< sum over V itself
    std::vector<uint32_t> order;      ///< cosets that may be taken, by rising sum
  };

  /// The largest sum of W over a whole row space whose bound is still below the incumbent.
  void set_limit() { limit_ = (static_cast<int64_t>(best_excess) - static_cast<int64_t>(step_) + total_weight_) * scale_; }

  uint64_t bound_of(int64_t sum) const {
    const int64_t whole = (sum + scale_ - 1) / scale_ - total_weight_;
    const auto excess = static_cast<uint64_t>(std::max<int64_t>(whole, 0));
    return std::max((excess + step_ - 1) / step_ * step_, floor_);
  }

  uint32_t vector_of(const Layer& layer, uint32_t coset) const {
    uint32_t row = 0;
    for (; coset != 0; coset &= coset - 1) row ^= layer.basis[std::countr_zero(coset)];
    return row;
  }

  /// Every word set splits into 2^left parts at most: what the fullest bank of V keeps at least.
  bool hopeless(unsigned depth) {
    const unsigned left = bank_bits_ - depth;
    if (depth == 0 || left > 2) return false;
    const std::vector<uint32_t> degrees = evaluator_.degrees(rows_);
    uint64_t excess = 0;
    for (size_t k = 0; k < groups_.size(); ++k) {
      const uint64_t degree = (degrees[k] + (uint64_t{1} << left) - 1) >> left;
      excess += excess_at_degree(groups_[k], std::max(degree, least_degree(groups_[k], bank_bits_)));
    }
    return excess >= best_excess;
  }

  void take(const Layer& from, uint32_t coset, Layer& to) const {
    const unsigned top = static_cast<unsigned>(std::bit_width(coset)) - 1;
    const uint32_t below = (uint32_t{1} << top) - 1;
    to.sums.resize(from.sums.size() / 2);
    // Index bit `top` goes: x and x ^ coset are one coset now.
    for (uint32_t high = 0; high < to.sums.size(); high += below + 1) {
      for (uint32_t low = 0; low <= below; ++low) {
        const uint32_t x = high << 1 | low;
        to.sums[high | low] = from.sums[x] + from.sums[x ^ coset];
      }
    }
    for (int64_t& sum : to.sums) sum = std::min(sum, kExcluded);
    to.basis = from.basis;
    to.basis.erase(to.basis.begin() + top);
    to.chosen = from.chosen + from.sums[coset];
  }

  /// The row spaces that contain rows_ and no excluded coset.
  void visit(unsigned depth) {
    Layer& layer = layers_[depth];
    if (hopeless(depth)) return;
    const int64_t room = limit_ - layer.chosen;
    const auto need = static_cast<int64_t>((uint64_t{1} << (bank_bits_ - depth)) - 1);  // cosets of V in the whole
    // Taken in rising order, the first of them has at most the mean.
    const int64_t most = room / need;
    layer.order.clear();
    for (uint32_t x = 1; x < layer.sums.size(); ++x) {
      if (layer.sums[x] <= most) layer.order.push_back(x);
    }
    std::sort(layer.order.begin(), layer.order.end(), [&](uint32_t a, uint32_t b) {
      return layer.sums[a] != layer.sums[b] ? layer.sums[a] < layer.sums[b] : a < b;
    });
    for (size_t k = 0; k < layer.order.size(); ++k) {
      int64_t sum = layer.chosen;
      for (size_t j = k; j < k + static_cast<size_t>(need); ++j) {
        sum += j < layer.order.size() ? layer.sums[layer.order[j]] : most + 1;
        if (sum > limit_) break;
      }
      if (depth == plain_) lower_bound_ = std::max(lower_bound_, bound_of(std::min(sum, limit_ + 1)));
      if (sum > limit_) break;
      const uint32_t coset = layer.order[k];
      rows_.push_back(vector_of(layer, coset));
      if (need == 1) {
        if (offer(rows_)) set_limit();
      } else {
        take(layer, coset, layers_[depth + 1]);
        visit(depth + 1);
      }
      rows_.pop_back();
      if (timed_out_ || at_floor()) return;
      layer.sums[coset] = kExcluded;
    }
    if ((++visits_ & 63) == 0 && Clock::now() > deadline_) timed_out_ = true;
  }

  std::span<const Group> groups_;
  unsigned bits_, bank_bits_, plain_;
  Clock::time_point deadline_;
  Evaluator evaluator_;
  uint64_t step_ = 0, floor_ = 0, lower_bound_ = 0, visits_ = 0;
  int64_t scale_ = 1, total_weight_ = 0, limit_ = 0;
  bool timed_out_ = false;
  std::vector<Layer> layers_;
  std::vector<uint32_t> rows_;
};

}  // namespace

Found optimal(const Problem& problem, const SearchOptions& options) {
  const auto begin = Clock::now();
  const auto deadline = begin + options.time_limit;
  const Quotient quotient = make_quotient(problem, options);
  const unsigned bank_bits = problem.size.bank_bits;
  Found result;
  result.status = Status::optimal;
  if (quotient.bits <= bank_bits) {  // every pattern can be told apart entirely
    std::vector<uint32_t> rows;
    for (unsigned j = 0; j < quotient.bits; ++j) rows.push_back(uint32_t{1} << j);
    result.hash = quotient.hash(rows, problem.size);
    result.evaluated = 1;
  } else {
    Search search(quotient, bank_bits, options.plain_low_bits, deadline);
    for (const scratchpad::BankHash& start :
         {scratchpad::modulo_hash(problem.size), scratchpad::fixed_xor_hash(problem.size),
          exhaustive_bitvector(problem, false, false, options).hash, minimum_imbalance(problem, true, options).hash}) {
      const std::vector<uint32_t> rows = search.start(quotient.rows(start));
      if (!rows.empty()) search.offer(rows);
    }
    if (!search.at_floor()) search.descend(search.best);
    std::mt19937 random(1);
    const auto starts_until = begin + options.time_limit / 10;
    for (int round = 0; round < 64 && !search.at_floor() && Clock::now() < starts_until; ++round) {
      std::vector<uint32_t> rows(bank_bits), start;
      do {
        for (uint32_t& row : rows) row = random() & ((uint32_t{1} << quotient.bits) - 1);
        start = search.start(rows);
      } while (start.empty());
      search.descend(std::move(start));
    }
    const bool finished = search.at_floor() || options.plain_low_bits == bank_bits || search.run();
    result.hash = quotient.hash(search.best, problem.size);
    result.excess = search.best_excess;
    result.evaluated = search.evaluated;
    result.lower_bound = search.lower_bound();
    if (search.at_floor()) result.lower_bound = search.best_excess;
    result.status = finished ? Status::optimal : Status::best_found;
  }
  result.excess += problem.unavoidable;
  result.lower_bound += problem.unavoidable;
  return result;
}

}  // namespace bankshot::search
