// Called for every access of every warp to global memory, where these are counted.
#include "bankshot/scratchpad/counting/l1_site.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "bankshot/scratchpad/base/clones.hpp"
#include "bankshot/scratchpad/counting/same_shape.hpp"

namespace bankshot::scratchpad {
namespace {

/// Any fixed choice will do where cycles and CTA are the same, if it does not depend on the order of merging.
auto rank(const L1Totals::Worst& worst) {
  return std::tuple(~worst.cost.cycles, worst.cta, ~worst.lanes, worst.shape.pattern, worst.shape.stride_bytes,
                    ~worst.cost.tags, ~worst.cost.sectors, ~worst.cost.wavefronts);
}

void keep_worse(const L1Totals::Worst& one, L1Totals::Worst& worst) {
  if (one.lanes != 0 && (worst.lanes == 0 || rank(one) < rank(worst))) worst = one;
}

}  // namespace

void L1Totals::merge(const L1Totals& other) {
  accesses += other.accesses;
  lanes += other.lanes;
  add(sums, other.sums);
  keep_worse(other.worst, worst);
}

[[gnu::always_inline]] inline bool L1Counter::is_like(const Seen& seen, const uint64_t* address, uint64_t first,
                                                      uint64_t in_line, uint64_t lanes) {
  if (seen.mask != lanes || seen.first != in_line) return false;
  return same_distances(address, first, seen.distance.data(), lanes);
}

L1Counter::Offsets L1Counter::offsets() {
  return {offsetof(L1Counter, latest_), offsetof(L1Counter, seen_), sizeof(Seen),        offsetof(Seen, mask),
          offsetof(Seen, first),        offsetof(Seen, count),      offsetof(Seen, cta), offsetof(Seen, distance)};
}

BANKSHOT_CLONES
void L1Counter::record(const L1Rules& rules, bool reads, unsigned width, const uint64_t* address, uint64_t offset,
                       uint64_t lanes, uint64_t cta) {
  const uint64_t first = address[std::countr_zero(lanes)], in_line = (first + offset) & (rules.line_bytes - 1);
  Seen* seen = &seen_[latest_];
  if (!is_like(*seen, address, first, in_line, lanes)) seen = &find(rules, reads, width, address, offset, lanes);
  seen->cta = std::min(seen->cta, cta);
  ++seen->count;
}

BANKSHOT_CLONES
L1Counter::Seen& L1Counter::find(const L1Rules& rules, bool reads, unsigned width, const uint64_t* address,
                                 uint64_t offset, uint64_t lanes) {
  const uint64_t first = address[std::countr_zero(lanes)], in_line = (first + offset) & (rules.line_bytes - 1);
  for (unsigned k = 0; k < kSeen; ++k) {
    if (is_like(seen_[k], address, first, in_line, lanes)) return seen_[latest_ = k];
  }
  latest_ = oldest_;
  oldest_ = (oldest_ + 1) % kSeen;
  Seen& seen = seen_[latest_];
  add(rules, width, seen, gone_);
  seen.mask = lanes;
  seen.first = in_line;
  seen.count = 0;
  seen.cta = ~uint64_t{0};
  alignas(64) std::array<uint64_t, kMaxLanes> moved;  // so that the first line begins at 0; the others wrap around
  const unsigned room = lanes >> 32 == 0 ? 32 : kMaxLanes;
  for (unsigned lane = 0; lane < room; ++lane) {
    seen.distance[lane] = address[lane] - first;
    moved[lane] = seen.distance[lane] + in_line;
  }
  seen.cost = l1_cost(rules, reads, width, moved.data(), lanes);
  return seen;
}

void L1Counter::add(const L1Rules& rules, unsigned width, const Seen& seen, L1Totals& to) {
  if (seen.count == 0) return;
  const auto lanes = static_cast<uint32_t>(std::popcount(seen.mask));
  to.accesses += seen.count;
  to.lanes += lanes * seen.count;
  for (size_t k = 0; k < kL1SumNames<uint64_t>.size(); ++k) {
    to.sums.*kL1SumNames<uint64_t>[k].value += uint64_t{seen.cost.*kL1SumNames<uint32_t>[k].value} * seen.count;
  }
  const uint32_t cycles = seen.cost.cycles, most = to.worst.cost.cycles;
  if (to.worst.lanes != 0 && (cycles < most || (cycles == most && seen.cta > to.worst.cta))) return;
  std::array<uint64_t, kMaxLanes> moved{};
  for (uint64_t rest = seen.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    moved[lane] = seen.first + seen.distance[lane];
  }
  const Shape shape = classify(rules.banks, width, bank_addresses(moved.data(), seen.mask).data(), seen.mask);
  keep_worse({seen.cta, lanes, shape, seen.cost}, to.worst);
}

L1Totals L1Counter::totals(const L1Rules& rules, unsigned width) const {
  L1Totals all = gone_;
  for (const Seen& seen : seen_) add(rules, width, seen, all);
  return all;
}

}  // namespace bankshot::scratchpad
