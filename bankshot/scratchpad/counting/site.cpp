// Counting accesses of one instruction: called for every shared-memory instruction of every warp.
#include "bankshot/scratchpad/counting/site.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "bankshot/scratchpad/base/clones.hpp"
#include "bankshot/scratchpad/counting/same_shape.hpp"

namespace bankshot::scratchpad {
namespace {

/// Is an access (degree, cta) worse than the worst so far? Accesses of one CTA come in order, so equals are later.
[[gnu::always_inline]] inline bool worse(uint32_t degree, uint64_t cta, uint32_t worst_degree, uint64_t worst_cta) {
  return degree > worst_degree || (degree == worst_degree && cta < worst_cta);
}

/// One bit a bank that a lane touches. For 32 banks of 4 bytes and accesses of at most 4 bytes.
[[gnu::always_inline]] inline uint32_t banks_touched(const uint32_t* addresses, uint32_t mask) {
  uint32_t banks = 0;
  for (unsigned lane = 0; lane < 32; ++lane) banks |= (mask >> lane & 1) << (addresses[lane] / 4 % 32);
  return banks;
}

}  // namespace

BANKSHOT_CLONES
Cost SiteCounter::record(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses, uint64_t mask,
                         uint64_t cta) {
  if (mask == 0) return {};
  if (kind != kind_) [[unlikely]] {
    memo_ = {};
    kind_ = kind;
  }
  const ShapeMemo::Entry* access = &memo_.entries[memo_.latest];
  if (!same_shape(*access, ShapeKey(rules, addresses, mask), addresses)) {
    access = &price(rules, kind, width, addresses, mask);
  }
  ++accesses;
  lanes += access->lanes;
  wavefronts += access->cost.wavefronts;
  ideal += access->cost.ideal;
  position += access->cost.position;
  ++classes[static_cast<unsigned>(access->shape.pattern)];
  if (trace.capacity() != 0) [[unlikely]]
    trace.record(addresses, mask);
  const uint32_t degree = access->cost.wavefronts;
  ++degrees[std::min(degree, kMostCounted)];
  if (worse(degree, cta, degree_max, worst.cta) ||
      (access->shape.pattern == PatternClass::stride && worse(degree, cta, stride.degree, stride.cta))) [[unlikely]] {
    keep_worst(*access, addresses, cta);
  }
  return access->cost;
}

BANKSHOT_CLONES
const ShapeMemo::Entry& SiteCounter::price(const Rules& rules, AccessKind kind, unsigned width,
                                           const uint32_t* addresses, uint64_t mask) {
  const ShapeKey key(rules, addresses, mask);
  for (unsigned i = 0; i < ShapeMemo::kEntries; ++i) {
    if (same_shape(memo_.entries[i], key, addresses)) return memo_.entries[memo_.latest = i];
  }
  if (rules.hash && rules.hash->linear()) {
    for (unsigned i = 0; i < ShapeMemo::kEntries; ++i) {
      if (!same_by_xor(memo_.entries[i], key, addresses)) continue;
      memo_.entries[i].offset = key.offset;  // the next time it is found at a glance
      return memo_.entries[memo_.latest = i];
    }
  }
  memo_.latest = memo_.oldest;
  memo_.oldest = (memo_.oldest + 1) % ShapeMemo::kEntries;
  ShapeMemo::Entry& entry = memo_.entries[memo_.latest];
  entry.mask = mask;
  entry.last = key.last;
  entry.offset = key.offset;
  entry.lanes = static_cast<uint32_t>(std::popcount(mask));
  for (unsigned lane = 0; lane < 32; ++lane) entry.distance[lane] = addresses[lane] - key.base;
  if (mask >> 32 != 0) {
    for (unsigned lane = 32; lane < kMaxLanes; ++lane) entry.distance[lane] = addresses[lane] - key.base;
  }
  entry.shape = classify(rules, width, addresses, mask);

  const bool one_phase = !rules.hash && rules.banks == 32 && rules.bank_bytes == 4 && width <= 4 && mask >> 32 == 0 &&
                         neighbours_together(rules, kind, width) == 32;
  if (one_phase &&
      static_cast<unsigned>(std::popcount(banks_touched(addresses, static_cast<uint32_t>(mask)))) == entry.lanes) {
    const uint32_t each = passes_each(rules, kind);
    entry.cost = {each, each, 0};  // as many banks as lanes
  } else {
    entry.cost = cost(rules, kind, width, addresses, mask);
  }
  return entry;
}

[[gnu::cold]] void SiteCounter::keep_worst(const ShapeMemo::Entry& access, const uint32_t* addresses, uint64_t cta) {
  const uint32_t degree = access.cost.wavefronts;
  if (worse(degree, cta, degree_max, worst.cta)) {
    degree_max = degree;
    worst.cta = cta;
    worst.mask = access.mask;
    worst.shape = access.shape;
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      worst.addresses[lane] = (access.mask >> lane & 1) != 0 ? addresses[lane] : 0;
    }
  }
  if (access.shape.pattern == PatternClass::stride && worse(degree, cta, stride.degree, stride.cta)) {
    stride = {degree, access.shape.stride_bytes, cta};
  }
}

void SiteTotals::merge(const SiteTotals& other) {
  if (other.accesses == 0) return;
  // Only accesses of different launches or processes can agree in degree and CTA: any fixed choice will do.
  const bool tie = other.degree_max == degree_max && other.worst.cta == worst.cta;
  if (worse(other.degree_max, other.worst.cta, degree_max, worst.cta) ||
      (tie && std::tie(other.worst.mask, other.worst.addresses) < std::tie(worst.mask, worst.addresses))) {
    degree_max = other.degree_max;
    worst = other.worst;
  }
  const bool stride_tie = other.stride.degree == stride.degree && other.stride.cta == stride.cta;
  if (worse(other.stride.degree, other.stride.cta, stride.degree, stride.cta) ||
      (stride_tie && other.stride.bytes < stride.bytes)) {
    stride = other.stride;
  }
  trace.merge(other.trace);
  accesses += other.accesses;
  in_transactions += other.in_transactions;
  lanes += other.lanes;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  position += other.position;
  for (unsigned i = 0; i < kPatternClasses; ++i) classes[i] += other.classes[i];
  for (unsigned i = 0; i <= kMostCounted; ++i) degrees[i] += other.degrees[i];
}

PatternClass SiteTotals::pattern() const {
  return static_cast<PatternClass>(std::max_element(classes.begin(), classes.end()) - classes.begin());
}

}  // namespace bankshot::scratchpad
