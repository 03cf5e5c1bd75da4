// What accesses cost on hashed banks and banks of several ports, against a reference that looks at one word at a time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "bankshot/scratchpad/access/passes.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "tests/unit/scratchpad/warp_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

std::optional<BankHash> arbitrary_hash(unsigned banks) {
  const HashSize size{*rc::gen::inRange(kMaxBankBits, kMaxAddressBits + 1),
                      static_cast<unsigned>(std::countr_zero(banks))};
  switch (*rc::gen::inRange(0, 5)) {
    case 0: return std::nullopt;
    case 1: return add_hash(size);
    case 2: return fixed_xor_hash(size);
    default: {  // any rows: also those that use few banks
      std::vector<uint32_t> rows;
      for (unsigned i = 0; i < size.bank_bits; ++i) rows.push_back(*rc::gen::inRange(0u, 1u << size.address_bits));
      return *rows_hash(size, rows);
    }
  }
}

/// Any lanes together, in phases of any size.
PhaseTable arbitrary_table() {
  const unsigned phases = *rc::gen::inRange(1u, 17u);
  const auto phase_of = *rc::gen::container<std::vector<unsigned>>(kMaxLanes, rc::gen::inRange(0u, phases));
  PhaseTable table(phases);
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) table[phase_of[lane]].add(lane);
  std::erase_if(table, [](LaneMask phase) { return phase.empty(); });
  return table;
}

Rules arbitrary_hashed_rules() {
  Rules rules;
  rules.banks = *rc::gen::element(2u, 4u, 8u, 16u, 32u, 32u, 64u, 128u);
  rules.bank_bytes = *rc::gen::element(4u, 4u, 8u);
  rules.ports = *rc::gen::element(1u, 2u, 4u);
  rules.lanes_b32 = *rc::gen::element(2u, 8u, 16u, 32u, 64u);
  rules.lanes_b64 = *rc::gen::element(1u, 4u, 16u, 32u);
  rules.lanes_b128 = *rc::gen::element(1u, 2u, 8u, 16u);
  for (PhaseTable& table : rules.tables) {
    if (*rc::gen::inRange(0, 3) == 0) table = arbitrary_table();
  }
  rules.hash = arbitrary_hash(rules.banks);
  return rules;
}

Warp strided_or_scattered_addresses(unsigned width) {
  const uint32_t first = *rc::gen::inRange(0u, 2048u) * width, stride = *rc::gen::inRange(0u, 130u) * width;
  const bool scattered = *rc::gen::arbitrary<bool>();
  const auto random = *rc::gen::container<std::vector<uint32_t>>(kMaxLanes, rc::gen::inRange(0u, 1u << 13));
  Warp warp{};
  for (uint32_t lane = 0; lane < kMaxLanes; ++lane)
    warp[lane] = scattered ? random[lane] * width : first + lane * stride;
  return warp;
}

uint64_t arbitrary_mask_with_lane_0() {
  const auto bits = *rc::gen::arbitrary<uint64_t>();
  return *rc::gen::element<uint64_t>(0xffffffff, bits & 0xffffffff, bits, 0xff, ~uint64_t{0}) | 1;
}

unsigned rounded_up(size_t requests, unsigned ports) { return static_cast<unsigned>((requests + ports - 1) / ports); }

/// The lanes of each phase, from the table of the access or the number of neighbours.
std::vector<std::vector<unsigned>> phases_of_lanes(const Rules& rules, AccessKind kind, unsigned width) {
  std::vector<std::vector<unsigned>> phases;
  const size_t by_width = width <= 4 ? 0 : width == 8 ? 2 : 4;
  const PhaseTable& table = rules.tables[by_width + (kind == AccessKind::store ? 1 : 0)];
  if (kind != AccessKind::atomic && !table.empty()) {
    for (const LaneMask phase : table) {
      std::vector<unsigned>& lanes = phases.emplace_back();
      for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
        if ((phase.bits() >> lane & 1) != 0) lanes.push_back(lane);
      }
    }
    return phases;
  }
  const unsigned together = width <= 4 ? rules.lanes_b32 : width == 8 ? rules.lanes_b64 : rules.lanes_b128;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if (lane % together == 0) phases.emplace_back();
    phases.back().push_back(lane);
  }
  return phases;
}

Cost cost_by_words(const Rules& rules, AccessKind kind, unsigned width, const Warp& warp, uint64_t mask) {
  Cost sum;
  for (const std::vector<unsigned>& phase : phases_of_lanes(rules, kind, width)) {
    std::map<uint32_t, std::vector<uint32_t>> requests;  // bank -> a word for each lane that wants it
    for (const unsigned lane : phase) {
      if ((mask >> lane & 1) == 0) continue;
      for (uint32_t word = warp[lane] / rules.bank_bytes; word <= (warp[lane] + width - 1) / rules.bank_bytes; ++word) {
        requests[rules.hash ? rules.hash->bank(word) : word % rules.banks].push_back(word);
      }
    }
    if (requests.empty()) continue;
    size_t most_lanes = 0, most_words = 0;
    for (const auto& [bank, list] : requests) {
      most_lanes = std::max(most_lanes, list.size());
      most_words = std::max(most_words, std::set<uint32_t>(list.begin(), list.end()).size());
    }
    const unsigned words = rounded_up(most_words, rules.ports), all = rounded_up(most_lanes, rules.ports);
    // 2 banks of 4 bytes need two passes for 16 bytes of one lane; elsewhere one lane fits the banks.
    sum.ideal += rounded_up(rules.banks == 2 && rules.bank_bytes == 4 && width == 16 ? 2 : 1, rules.ports);
    sum.wavefronts += kind == AccessKind::atomic ? all : words;
    sum.position += kind == AccessKind::atomic ? all - words : 0;
  }
  return sum;
}

RC_GTEST_PROP(BankHash, many_words_at_once_get_the_banks_of_each, ()) {
  // Not RC_PRE: rapidcheck's first tests are small, and small is std::nullopt; a run of them would give the test up.
  const unsigned banks_wanted = *rc::gen::element(2u, 4u, 8u, 16u, 32u, 64u, 128u);
  const BankHash hash =
      arbitrary_hash(banks_wanted).value_or(modulo_hash({16, static_cast<unsigned>(std::countr_zero(banks_wanted))}));
  const auto words =
      *rc::gen::container<std::vector<uint32_t>>(*rc::gen::inRange(1u, 70u), rc::gen::arbitrary<uint32_t>());
  std::vector<uint32_t> banks(words.size() + 1, 99);
  banks_of(hash, words, banks.data());
  for (size_t i = 0; i < words.size(); ++i) RC_ASSERT(banks[i] == hash.bank(words[i]));
  RC_ASSERT(banks.back() == 99u);  // nothing behind the last one
}

RC_GTEST_PROP(HashedCost, agrees_with_the_reference, ()) {
  const Rules rules = arbitrary_hashed_rules();
  const auto kind = *rc::gen::element(AccessKind::load, AccessKind::store, AccessKind::atomic);
  const auto width = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
  Warp warp = strided_or_scattered_addresses(width);
  const uint64_t mask = arbitrary_mask_with_lane_0();
  if (*rc::gen::inRange(0, 8) == 0) {
    for (uint32_t& address : warp) address += 0xf0000000;  // beyond any shared memory
  }
  const Cost expected = cost_by_words(rules, kind, width, warp, mask);
  RC_ASSERT(cost(rules, kind, width, warp.data(), mask) == expected);
  RC_ASSERT(passes(rules, kind, width, warp.data(), mask).size() == expected.wavefronts);
}

RC_GTEST_PROP(HashedCost, is_the_sum_of_the_degrees_of_the_sub_warps, ()) {
  const Rules rules = arbitrary_hashed_rules();
  const auto kind = *rc::gen::element(AccessKind::load, AccessKind::store, AccessKind::atomic);
  const auto width = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
  const auto lanes = *rc::gen::element(1u, 4u, 8u, 16u, 32u, 64u);
  const Warp warp = strided_or_scattered_addresses(width);
  const uint64_t mask = arbitrary_mask_with_lane_0();
  std::vector<unsigned> degrees(kMaxLanes / lanes, 99);
  sub_warp_degrees(rules, kind, width, warp.data(), mask, lanes, degrees);
  RC_ASSERT(std::accumulate(degrees.begin(), degrees.end(), 0u) ==
            cost_by_words(rules, kind, width, warp, mask).wavefronts);
  // Where phases do not straddle parts, each part's degree is what its lanes cost alone.
  const unsigned phase = neighbours_together(rules, kind, width);
  for (unsigned k = 0; k < degrees.size() && phase != 0 && phase <= lanes; ++k) {
    const uint64_t part = lanes == 64 ? mask : mask & ((uint64_t{1} << lanes) - 1) << (k * lanes);
    RC_ASSERT(degrees[k] == cost_by_words(rules, kind, width, warp, part).wavefronts);
  }
}

RC_GTEST_PROP(HashedCost, of_a_pattern_is_that_of_the_access, ()) {
  Rules rules = arbitrary_hashed_rules();
  Pattern pattern;
  pattern.kind = *rc::gen::element(AccessKind::load, AccessKind::store, AccessKind::atomic);
  pattern.width = *rc::gen::element(4u, 8u, 16u);
  pattern.mask = arbitrary_mask_with_lane_0();
  const Warp warp = strided_or_scattered_addresses(pattern.width);
  for (size_t lane = 0; lane < kMaxLanes; ++lane) pattern.words[lane] = warp[lane] / 4;
  const BankHash hash = rules.hash.value_or(modulo_hash({16, static_cast<unsigned>(std::countr_zero(rules.banks))}));
  RC_ASSERT(cost(rules, pattern, hash) == cost_by_words(rules, pattern.kind, pattern.width, warp, pattern.mask));
}

RC_GTEST_PROP(HashedCost, of_the_canonical_form_is_that_of_the_pattern_and_of_its_translations, ()) {
  Rules rules = arbitrary_hashed_rules();
  Pattern pattern;
  pattern.kind = *rc::gen::element(AccessKind::load, AccessKind::store, AccessKind::atomic);
  pattern.width = *rc::gen::element(4u, 8u, 16u);
  pattern.mask = arbitrary_mask_with_lane_0();
  const Warp warp = strided_or_scattered_addresses(pattern.width);
  const uint32_t shift = *rc::gen::inRange(0u, 64u) * 4;
  for (const unsigned lane : LaneMask(pattern.mask)) pattern.words[lane] = warp[lane] / 4;
  Pattern moved = pattern;
  for (const unsigned lane : LaneMask(pattern.mask)) moved.words[lane] ^= shift;
  const HashSize size{16, static_cast<unsigned>(std::countr_zero(rules.banks))};
  const BankHash hash = rules.hash && rules.hash->linear() ? *rules.hash : fixed_xor_hash(size);
  const Pattern form = canonical(rules, pattern);
  RC_ASSERT(cost(rules, form, hash) == cost(rules, pattern, hash));
  RC_ASSERT(canonical(rules, moved).words == form.words);
  Rules other = arbitrary_hashed_rules();
  other.banks = rules.banks;
  if (keeps_its_cost(rules, other, pattern)) RC_ASSERT(cost(other, form, hash) == cost(other, pattern, hash));
}

RC_GTEST_PROP(HashedCost, under_the_hash_none_is_that_without_a_hash, ()) {
  Rules rules = arbitrary_hashed_rules();
  const auto width = *rc::gen::element(1u, 4u, 8u, 16u);
  const Warp warp = strided_or_scattered_addresses(width);
  const uint64_t mask = arbitrary_mask_with_lane_0();
  rules.hash.reset();
  const Cost without = cost(rules, AccessKind::load, width, warp.data(), mask);
  rules.hash = modulo_hash({16, static_cast<unsigned>(std::countr_zero(rules.banks))});
  RC_ASSERT(cost(rules, AccessKind::load, width, warp.data(), mask) == without);
}

/// A counter that has seen many accesses and their translations, against the same accesses one by one.
RC_GTEST_PROP(HashedSite, adds_up_what_each_access_costs_alone, ()) {
  const Rules rules = arbitrary_hashed_rules();
  const auto kind = *rc::gen::element(AccessKind::load, AccessKind::store, AccessKind::atomic);
  const auto width = *rc::gen::element(1u, 2u, 4u, 8u, 16u);
  const size_t shapes = *rc::gen::inRange<size_t>(1, 7);
  std::vector<Warp> warps;
  std::vector<uint64_t> masks;
  for (size_t i = 0; i < shapes; ++i) {
    warps.push_back(strided_or_scattered_addresses(width));
    masks.push_back(arbitrary_mask_with_lane_0());
  }
  const auto order = *rc::gen::container<std::vector<size_t>>(64, rc::gen::inRange<size_t>(0, shapes));
  const auto shifts = *rc::gen::container<std::vector<uint32_t>>(64, rc::gen::inRange(0u, 4u));
  const auto unit =
      *rc::gen::element(1u, 8u, 32u, 256u, 4096u);  // of translations: small ones carry, large ones do not
  SiteCounter counter;
  Cost sum;
  std::array<uint64_t, kPatternClasses> classes{};
  for (size_t i = 0; i < order.size(); ++i) {
    Warp warp = warps[order[i]];
    for (uint32_t& address : warp) address += shifts[i] * unit * width;
    const uint64_t mask = masks[order[i]];
    counter.record(rules, kind, width, warp.data(), mask, 0);
    const Cost one = cost_by_words(rules, kind, width, warp, mask);
    sum = {sum.wavefronts + one.wavefronts, sum.ideal + one.ideal, sum.position + one.position};
    ++classes[static_cast<size_t>(classify(rules, width, warp.data(), mask).pattern)];
  }
  RC_ASSERT(counter.wavefronts == sum.wavefronts);
  RC_ASSERT(counter.ideal == sum.ideal);
  RC_ASSERT(counter.position == sum.position);
  RC_ASSERT(counter.classes == classes);
}

}  // namespace
}  // namespace bankshot::scratchpad
