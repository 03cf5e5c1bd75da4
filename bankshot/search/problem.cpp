#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {
namespace {

uint32_t distance(uint32_t a, uint32_t b) { return a < b ? b - a : a - b; }

/// The strides of section 3: between neighbours inside a row of the block, and between rows. A pattern without rows
/// gives a stride for every irregular step, so that nothing is ruled out for it.
void add_strides(const std::vector<uint32_t>& lanes, std::vector<uint32_t>& strides) {
  if (lanes.size() < 2) return;
  const uint32_t inside = lanes[1] - lanes[0];  // modulo 2^32, like every step
  strides.push_back(distance(lanes[0], lanes[1]));
  uint32_t start = lanes[0];
  for (size_t k = 2; k < lanes.size(); ++k) {
    if (lanes[k] - lanes[k - 1] == inside) continue;
    strides.push_back(distance(start, lanes[k]));
    start = lanes[k];
  }
}

}  // namespace

std::string_view name(Method m) {
  constexpr std::string_view kNames[] = {"exhaustive", "givargis", "mih", "optimal"};
  return kNames[static_cast<size_t>(m)];
}
std::string_view name(Status s) {
  constexpr std::string_view kNames[] = {"exhaustive", "heuristic", "optimal", "best-found"};
  return kNames[static_cast<size_t>(s)];
}

bool Restriction::allows(const scratchpad::BankHash& hash) const {
  if (in_place && !scratchpad::is_in_place(hash)) return false;
  const std::vector<uint32_t> basis = scratchpad::reduced(hash.rows());
  for (unsigned bit = 0; bit < plain_low_bits; ++bit) {
    if (scratchpad::residue(1u << bit, basis) != 0) return false;
  }
  return true;
}

Problem sample(const Problem& problem, size_t groups) {
  if (problem.groups.size() <= groups) return problem;
  Problem some = problem;
  some.groups.clear();
  for (size_t k = 0; k < groups; ++k) some.groups.push_back(problem.groups[k * problem.groups.size() / groups]);
  return some;
}

Problem problem(const scratchpad::Rules& rules, const scratchpad::PatternSet& set) {
  Problem p;
  p.size = scratchpad::size_of(set);
  scratchpad::Groups all = scratchpad::groups(rules, set);
  p.groups = std::move(all.groups);
  p.unavoidable = all.unavoidable;
  for (const scratchpad::Pattern& pattern : set.patterns) {
    std::vector<uint32_t> lanes;
    for (uint64_t rest = pattern.mask; rest != 0; rest &= rest - 1) {
      lanes.push_back(pattern.words[static_cast<size_t>(std::countr_zero(rest))] * 4 / rules.bank_bytes);
    }
    add_strides(lanes, p.strides);
    if (lanes.empty()) continue;
    const auto [low, high] = std::minmax_element(lanes.begin(), lanes.end());
    p.span = std::max(p.span, *high - *low + 1);
  }
  std::sort(p.strides.begin(), p.strides.end());
  p.strides.erase(std::unique(p.strides.begin(), p.strides.end()), p.strides.end());
  std::erase(p.strides, 0u);  // several lanes on one word
  return p;
}

std::optional<Error> cannot_search(const scratchpad::Rules& rules, std::span<const scratchpad::Pattern> patterns) {
  if (rules.ports != 1)
    return Error{"these patterns are for banks of " + std::to_string(rules.ports) +
                 " ports, but a search counts every word of a bank after the first as a conflict; set \"ports\" to 1"};
  const auto wide = std::ranges::find_if(
      patterns, [&](const scratchpad::Pattern& p) { return scratchpad::lane_exceeds_banks(rules, p.width); });
  if (wide == patterns.end()) return {};
  return Error{
      fmt::format("a lane reads {} bytes, which {} banks of {} bytes deliver in several passes under any hash, but a "
                  "search counts every word of a bank after the first as a conflict; remove such patterns",
                  wide->width, rules.banks, rules.bank_bytes)};
}

}  // namespace bankshot::search
