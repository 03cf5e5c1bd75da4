// Exhaustive search of classes that can list their hashes, and of bit-vector hashes with the reductions of the XOR-hash
// paper, section 5.1.
#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {
namespace {

/// The best of the hashes that are offered, the first of equals.
class Best {
 public:
  Best(const Problem& problem, const Restriction& restriction, Deadline deadline)
      : problem_(problem), restriction_(restriction), evaluator_(problem.groups), deadline_(deadline) {}

  void offer(const scratchpad::BankHash& hash) {
    if (!restriction_.allows(hash)) return;
    ++best_.evaluated;
    if (any_ && deadline_ != Deadline::max() && (best_.evaluated & 15) == 0)
      late_ = late_ || std::chrono::steady_clock::now() > deadline_;
    if (late_) return;
    // Of the 4,480 bit-vector hashes of 14 address bits, 1,846 differ in what they put together: the first of each is
    // enough.
    if (!seen_.insert(scratchpad::reduced(hash.rows())).second) return;
    const uint64_t excess = evaluator_.excess(hash.rows(), any_ ? best_.excess : UINT64_MAX);
    if (any_ && excess >= best_.excess) return;
    any_ = true;
    best_.hash = hash;
    best_.excess = excess;
  }

  Found found() const {
    Found found = best_;
    found.excess += problem_.unavoidable;
    found.status = late_ ? Status::best_found : Status::exhaustive;
    found.lower_bound = late_ ? problem_.unavoidable : found.excess;
    return found;
  }

 private:
  const Problem& problem_;
  const Restriction& restriction_;
  const Evaluator evaluator_;
  const Deadline deadline_;
  Found best_;
  bool any_ = false, late_ = false;
  std::set<std::vector<uint32_t>> seen_;  ///< row spaces
};

/// The settings to try. Loop order is k1, mask, k2.
struct Range {
  std::vector<unsigned> k1;
  unsigned first_k2 = 0, last_k2 = 0;
  unsigned top_bit = 0;  ///< MSB: of bits above it no mask needs to be tried
  bool masks = false;    ///< others than 0

  bool holds(unsigned k1_value, unsigned k2, uint32_t mask, unsigned bank_bits) const {
    if (!masks) return true;
    if (k2 == k1_value) return false;
    return mask < 1u << std::min(bank_bits, top_bit - k2 + 1);
  }
};

/// k1: of the strides S = S0 * 2^k; k2: from the least k to the top bit that a stride reaches.
Range reduced_range(const Problem& problem, bool permutations) {
  std::set<unsigned> ks;
  const unsigned last = problem.size.address_bits - problem.size.bank_bits;
  for (uint32_t stride : problem.strides) ks.insert(std::min(static_cast<unsigned>(std::countr_zero(stride)), last));
  if (ks.empty()) ks.insert(0);
  Range range;
  range.k1.assign(ks.begin(), ks.end());
  if (permutations || ks.size() == 1) return range;  // one k: the permutation is best already
  range.masks = true;
  range.top_bit =
      std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(problem.span - 1)), 1, problem.size.address_bits) - 1;
  range.first_k2 = *ks.begin();
  range.last_k2 = std::max(range.first_k2, range.top_bit);
  range.top_bit = range.last_k2;
  return range;
}

}  // namespace

Found exhaustive(const Problem& problem, const scratchpad::HashClass& hash_class, const Restriction& restriction,
                 Deadline deadline) {
  Best best(problem, restriction, deadline);
  hash_class.each(problem.size, [&](const scratchpad::BankHash& hash) { best.offer(hash); });
  return best.found();
}

Found exhaustive_bitvector(const Problem& problem, bool permutations, bool reduced, const Restriction& restriction,
                           Deadline deadline) {
  if (!reduced) {
    const char* const name = permutations ? "bitvector-perm" : "bitvector-xor";
    return exhaustive(problem, *scratchpad::find_searchable_class(name), restriction, deadline);
  }
  Best best(problem, restriction, deadline);
  Range range = reduced_range(problem, permutations);
  if ((restriction.in_place || restriction.plain_low_bits != 0) && range.k1.front() != 0)
    range.k1.insert(range.k1.begin(), 0);
  const unsigned bank_bits = problem.size.bank_bits;
  for (const unsigned k1 : range.k1) {
    for (uint32_t mask = 0; mask < (range.masks ? 1u << bank_bits : 1); ++mask) {
      for (unsigned k2 = range.first_k2; k2 <= range.last_k2; ++k2) {
        if (range.holds(k1, k2, mask, bank_bits))
          best.offer(*scratchpad::bitvector_xor_hash(problem.size, k1, k2, mask));
      }
    }
  }
  return best.found();
}

}  // namespace bankshot::search
