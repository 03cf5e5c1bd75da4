// Exhaustive search of the bit-vector hashes: the XOR-hash paper, section 5.1.
#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "bankshot/scratchpad/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {
namespace {

/// The settings to try. Loop order is k1, mask, k2.
struct Range {
  std::vector<unsigned> k1;
  unsigned first_k2 = 0, last_k2 = 0;
  unsigned top_bit = 0;  ///< MSB: of bits above it no mask needs to be tried
  bool reduced = false;

  bool holds(unsigned k1_value, unsigned k2, uint32_t mask, unsigned bank_bits) const {
    if (!reduced) return true;
    if (k2 == k1_value) return false;
    return mask < 1u << std::min(bank_bits, top_bit - k2 + 1);
  }
};

Range full_range(scratchpad::HashSize size, bool permutations) {
  Range range;
  for (unsigned k = 0; k + size.bank_bits <= size.address_bits; ++k) range.k1.push_back(k);
  range.last_k2 = permutations ? 0 : size.address_bits - 1;
  return range;
}

/// k1: of the strides S = S0 * 2^k; k2: from the least k to the top bit that a stride reaches.
Range reduced_range(const Problem& problem, bool permutations) {
  std::set<unsigned> ks;
  const unsigned last = problem.size.address_bits - problem.size.bank_bits;
  for (uint32_t stride : problem.strides) ks.insert(std::min(static_cast<unsigned>(std::countr_zero(stride)), last));
  if (ks.empty()) ks.insert(0);
  Range range;
  range.k1.assign(ks.begin(), ks.end());
  if (permutations || ks.size() == 1) return range;  // one k: the permutation is best already
  range.reduced = true;
  range.top_bit =
      std::clamp<unsigned>(static_cast<unsigned>(std::bit_width(problem.span - 1)), 1, problem.size.address_bits) - 1;
  range.first_k2 = *ks.begin();
  range.last_k2 = std::max(range.first_k2, range.top_bit);
  range.top_bit = range.last_k2;
  return range;
}

}  // namespace

Found exhaustive_bitvector(const Problem& problem, bool permutations, bool reduced, const Restriction& restriction,
                           Deadline deadline) {
  const Evaluator evaluator(problem.groups);
  Range range = reduced ? reduced_range(problem, permutations) : full_range(problem.size, permutations);
  if ((restriction.in_place || restriction.plain_low_bits != 0) && range.k1.front() != 0)
    range.k1.insert(range.k1.begin(), 0);
  const bool masks = !permutations && (!reduced || range.reduced);
  Found best;
  bool any = false, late = false;
  std::set<std::vector<uint32_t>> seen;  // row spaces
  for (unsigned k1 : range.k1) {
    for (uint32_t mask = 0; mask < (masks ? 1u << problem.size.bank_bits : 1); ++mask) {
      for (unsigned k2 = range.first_k2; k2 <= range.last_k2; ++k2) {
        if (!range.holds(k1, k2, mask, problem.size.bank_bits)) continue;
        const scratchpad::BankHash hash = *scratchpad::bitvector_xor_hash(problem.size, k1, k2, mask);
        if (!restriction.allows(hash)) continue;
        ++best.evaluated;
        // Of the 4,480 hashes of 14 address bits, 1,846 differ in what they put together: the first of each is enough.
        if (any && deadline != Deadline::max() && (best.evaluated & 15) == 0)
          late = late || std::chrono::steady_clock::now() > deadline;
        if (late) continue;
        if (!seen.insert(scratchpad::reduced(hash.rows())).second) continue;
        const uint64_t excess = evaluator.excess(hash.rows(), any ? best.excess : UINT64_MAX);
        if (any && excess >= best.excess) continue;
        any = true;
        best.hash = hash;
        best.excess = excess;
      }
    }
  }
  best.excess += problem.unavoidable;
  best.status = late ? Status::best_found : Status::exhaustive;
  best.lower_bound = late ? problem.unavoidable : best.excess;
  return best;
}

}  // namespace bankshot::search
