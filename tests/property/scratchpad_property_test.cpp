// The cost of an access against a reference that follows the rules word by word, and what must not change it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "bankshot/scratchpad/access/passes.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "tests/unit/scratchpad/warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

struct Access {
  Rules rules;
  AccessKind kind = AccessKind::load;
  unsigned width = 4;
  uint64_t mask = 0;
  Warp addresses{};
};

Rules arbitrary_rules() {
  Rules rules;
  rules.banks = 1u << *rc::gen::inRange(1u, kMaxBankBits + 1);
  rules.bank_bytes = *rc::gen::element(4u, 8u);
  rules.lanes_b32 = *rc::gen::element(2u, 16u, 32u, 64u);
  rules.lanes_b64 = *rc::gen::element(1u, 16u, 32u);
  rules.lanes_b128 = *rc::gen::element(1u, 8u, 16u);
  return rules;
}

/// Addresses of the kinds kernels make: affine in the lane, rows, few words, anything.
Warp arbitrary_addresses(unsigned width) {
  const auto kind = *rc::gen::inRange(0, 5);
  const uint32_t first = *rc::gen::inRange(0u, 512u) * width;
  const uint32_t stride = *rc::gen::inRange(0u, 130u) * width;
  const uint32_t row = *rc::gen::inRange(1u, 33u);
  const uint32_t step = *rc::gen::element(width, 0u, 2 * width);
  const auto random = *rc::gen::container<std::vector<uint32_t>>(kMaxLanes, rc::gen::inRange(0u, 1u << 14));
  Warp warp{};
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane) {
    switch (kind) {
      case 0: warp[lane] = first + lane * stride; break;
      case 1: warp[lane] = first + lane / row * stride + lane % row * step; break;
      case 2: warp[lane] = first + random[lane] % 8 * stride; break;
      case 3: warp[lane] = random[lane] % 64 * width; break;
      default: warp[lane] = random[lane] / width * width; break;
    }
  }
  return warp;
}

uint64_t arbitrary_mask() {
  const auto bits = *rc::gen::arbitrary<uint64_t>();
  switch (*rc::gen::inRange(0, 5)) {
    case 0: return 0xffffffff;
    case 1: return bits & 0xffffffff;
    case 2: return 0xffff;
    case 3: return bits;
    default: return bits & bits >> 13;
  }
}

Access arbitrary_access() {
  Access access;
  access.rules = *rc::gen::arbitrary<bool>() ? Rules{} : arbitrary_rules();
  access.rules.merge_pairs = *rc::gen::arbitrary<bool>();
  access.rules.combines_increments = *rc::gen::arbitrary<bool>();
  access.rules.cas_passes = *rc::gen::element(1u, 2u);
  access.kind = static_cast<AccessKind>(*rc::gen::inRange(size_t{0}, kAccessKindNames.size()));
  access.width = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
  access.mask = arbitrary_mask();
  access.addresses = arbitrary_addresses(access.width);
  return access;
}

Cost cost_of_access(const Access& a) { return cost(a.rules, a.kind, a.width, a.addresses.data(), a.mask); }

bool all_pairs_agree(const Access& a, unsigned distance) {
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    const bool both = (a.mask >> lane & 1) != 0 && (a.mask >> (lane ^ distance) & 1) != 0;
    if (both && a.addresses[lane] != a.addresses[lane ^ distance]) return false;
  }
  return true;
}

/// Byte by byte, with sets: slow and plain.
Cost cost_by_bytes(const Access& a) {
  unsigned lanes = a.width <= 4 ? a.rules.lanes_b32 : a.width == 8 ? a.rules.lanes_b64 : a.rules.lanes_b128;
  if (a.rules.merge_pairs && a.width >= 8 && a.kind == AccessKind::load &&
      (all_pairs_agree(a, 1) || all_pairs_agree(a, 2))) {
    lanes *= 2;
  }
  Cost sum;
  for (unsigned first = 0; first < kMaxLanes; first += lanes) {
    std::map<uint32_t, std::set<uint32_t>> words;          // bank -> words
    std::map<uint32_t, std::multiset<uint32_t>> requests;  // bank -> a word for each lane that wants it
    for (unsigned lane = first; lane < first + lanes && lane < kMaxLanes; ++lane) {
      if ((a.mask >> lane & 1) == 0) continue;
      std::set<uint32_t> touched;
      for (unsigned byte = 0; byte < a.width; ++byte) touched.insert((a.addresses[lane] + byte) / a.rules.bank_bytes);
      for (const uint32_t word : touched) {
        words[word % a.rules.banks].insert(word);
        requests[word % a.rules.banks].insert(word);
      }
    }
    uint32_t most_words = 0, most_lanes = 0;
    for (const auto& [bank, set] : words) most_words = std::max(most_words, static_cast<uint32_t>(set.size()));
    for (const auto& [bank, set] : requests) most_lanes = std::max(most_lanes, static_cast<uint32_t>(set.size()));
    // 2 banks of 4 bytes need two passes for 16 bytes of one lane; elsewhere one lane fits the banks.
    const uint32_t least = a.rules.banks == 2 && a.rules.bank_bytes == 4 && a.width == 16 ? 2 : 1;
    const bool shared_word = a.kind == AccessKind::load || a.kind == AccessKind::store ||
                             a.kind == AccessKind::ldmatrix ||
                             (a.kind == AccessKind::increment && a.rules.combines_increments);
    const uint32_t each = a.kind == AccessKind::cas ? a.rules.cas_passes : 1;
    sum.ideal += most_words != 0 ? each * least : 0;
    sum.wavefronts += each * (shared_word ? most_words : most_lanes);
    sum.position += shared_word ? 0 : each * (most_lanes - most_words);
  }
  return sum;
}

RC_GTEST_PROP(ScratchpadCost, agrees_with_the_reference, ()) {
  const Access access = arbitrary_access();
  RC_ASSERT(cost_of_access(access) == cost_by_bytes(access));
}

RC_GTEST_PROP(ScratchpadCost, agrees_with_the_reference_beyond_any_shared_memory, ()) {
  Access access = arbitrary_access();
  for (uint32_t& address : access.addresses) address += 0x00fff000;
  RC_ASSERT(cost_of_access(access) == cost_by_bytes(access));
}

RC_GTEST_PROP(ScratchpadCost, does_not_depend_on_the_order_of_lanes_in_a_phase, ()) {
  Access access = arbitrary_access();
  access.rules = Rules{};
  access.mask |= 0xffffffff;
  const Cost before = cost_of_access(access);
  const auto order = *rc::gen::container<std::vector<uint32_t>>(8, rc::gen::inRange(0u, 8u));
  for (unsigned phase = 0; phase < 32; phase += 8) {
    for (unsigned i = 0; i < 8; ++i) std::swap(access.addresses[phase + i], access.addresses[phase + order[i]]);
  }
  RC_ASSERT(cost_of_access(access) == before);
}

RC_GTEST_PROP(ScratchpadCost, does_not_change_when_all_addresses_move_by_whole_words, ()) {
  Access access = arbitrary_access();
  const Cost before = cost_of_access(access);
  const uint32_t shift = *rc::gen::inRange(0u, 1000u) * std::max(access.rules.bank_bytes, access.width);
  for (uint32_t& address : access.addresses) address += shift;
  RC_ASSERT(cost_of_access(access) == before);
}

RC_GTEST_PROP(ScratchpadCost, lies_between_the_phases_and_the_words, ()) {
  const Access access = arbitrary_access();
  const Cost cost = cost_of_access(access);
  RC_ASSERT(cost.wavefronts >= cost.ideal);
  RC_ASSERT(cost.wavefronts <= 64 * std::max(1u, access.width / access.rules.bank_bytes));
  RC_ASSERT(cost.position <= cost.wavefronts - cost.ideal);
}

RC_GTEST_PROP(ScratchpadPasses, are_as_many_as_the_wavefronts, ()) {
  const Access a = arbitrary_access();
  RC_ASSERT(passes(a.rules, a.kind, a.width, a.addresses.data(), a.mask).size() == cost_of_access(a).wavefronts);
}

/// A counter that has seen many accesses, against the same accesses priced and classified one by one.
RC_GTEST_PROP(SiteCounter, adds_up_what_each_access_costs_alone, ()) {
  Access site = arbitrary_access();
  const auto shapes = *rc::gen::inRange(1, 9);
  std::vector<Access> accesses;
  for (int i = 0; i < shapes; ++i) {
    Access access = site;
    access.mask = arbitrary_mask();
    access.addresses = arbitrary_addresses(site.width);
    accesses.push_back(access);
  }
  SiteCounter counter, expected;
  const auto order = *rc::gen::container<std::vector<int>>(64, rc::gen::inRange(0, shapes));
  const auto shifts = *rc::gen::container<std::vector<uint32_t>>(64, rc::gen::inRange(0u, 64u));
  for (size_t i = 0; i < order.size(); ++i) {
    Access access = accesses[static_cast<size_t>(order[i])];
    for (uint32_t& address : access.addresses) address += shifts[i] * access.width;
    counter.record(access.rules, access.kind, access.width, access.addresses.data(), access.mask, 0);
    if (access.mask == 0) continue;
    const Cost cost = cost_by_bytes(access);
    const Shape shape = classify(access.rules, access.width, access.addresses.data(), access.mask);
    ++expected.accesses;
    expected.wavefronts += cost.wavefronts;
    expected.ideal += cost.ideal;
    expected.position += cost.position;
    expected.degree_max = std::max(expected.degree_max, cost.wavefronts);
    ++expected.classes[static_cast<unsigned>(shape.pattern)];
  }
  RC_ASSERT(counter.accesses == expected.accesses);
  RC_ASSERT(counter.wavefronts == expected.wavefronts);
  RC_ASSERT(counter.ideal == expected.ideal);
  RC_ASSERT(counter.position == expected.position);
  RC_ASSERT(counter.degree_max == expected.degree_max);
  RC_ASSERT(counter.classes == expected.classes);
}

bool same(const SiteCounter& a, const SiteCounter& b) {
  return a.accesses == b.accesses && a.lanes == b.lanes && a.wavefronts == b.wavefronts && a.ideal == b.ideal &&
         a.position == b.position && a.degree_max == b.degree_max && a.classes == b.classes &&
         a.worst.cta == b.worst.cta && a.worst.mask == b.worst.mask && a.worst.addresses == b.worst.addresses &&
         a.worst.shape == b.worst.shape && a.stride.bytes == b.stride.bytes && a.stride.degree == b.stride.degree;
}

/// CTAs are spread over workers, each of which may take them in any order.
RC_GTEST_PROP(SiteCounter, does_not_depend_on_which_worker_ran_which_cta, ()) {
  constexpr unsigned kCtas = 12, kWorkers = 3;
  const Access site = arbitrary_access();
  std::vector<std::vector<Access>> ctas(kCtas);
  for (auto& cta : ctas) {
    const auto count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      Access access = site;
      access.addresses = arbitrary_addresses(site.width);
      cta.push_back(access);
    }
  }
  SiteCounter sequential;
  const auto run = [&](SiteCounter& counter, unsigned cta) {
    for (const Access& a : ctas[cta]) counter.record(a.rules, a.kind, a.width, a.addresses.data(), a.mask, cta);
  };
  for (unsigned cta = 0; cta < kCtas; ++cta) run(sequential, cta);

  std::array<SiteCounter, kWorkers> workers;
  std::vector<unsigned> order(kCtas);
  for (unsigned i = 0; i < kCtas; ++i) order[i] = i;
  const auto swaps = *rc::gen::container<std::vector<unsigned>>(kCtas, rc::gen::inRange(0u, kCtas));
  for (unsigned i = 0; i < kCtas; ++i) std::swap(order[i], order[swaps[i]]);
  const auto owners = *rc::gen::container<std::vector<unsigned>>(kCtas, rc::gen::inRange(0u, kWorkers));
  for (unsigned i = 0; i < kCtas; ++i) run(workers[owners[i]], order[i]);
  SiteCounter merged;
  for (unsigned worker = kWorkers; worker-- > 0;) merged.merge(workers[worker]);
  RC_ASSERT(same(merged, sequential));
}

}  // namespace
}  // namespace bankshot::scratchpad
