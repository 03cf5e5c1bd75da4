#include "bankshot/report/pattern_set.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::report {
namespace {

constexpr unsigned kUsualAddressBits = 14;  // 64 KB, the size for which the XOR-hash paper counts its hashes

}  // namespace

Result<scratchpad::PatternSet> pattern_set(const scratchpad::Rules& rules, std::span<const Kernel> kernels, bool as_is) {
  scratchpad::PatternSet set;
  set.rules = rules;
  for (const Kernel& kernel : kernels) {
    for (const Site& site : kernel.sites) {
      for (const scratchpad::Pattern& p : scratchpad::patterns(site.totals.trace, kind_of(site), site.width)) {
        set.patterns.push_back(as_is ? p : scratchpad::canonical(rules, p));
      }
    }
  }
  if (set.patterns.empty()) return Error{"no access to shared memory was seen"};
  scratchpad::merge_equal(set.patterns);
  uint32_t highest = 0;
  for (const scratchpad::Pattern& p : set.patterns) {
    const uint32_t last = *std::max_element(p.words.begin(), p.words.end());
    highest = std::max(highest, last + std::max(1u, p.width / 4) - 1);
  }
  set.address_bits = std::max<unsigned>(kUsualAddressBits, std::bit_width(highest));
  if (set.address_bits > scratchpad::kMaxAddressBits) {
    return Error{"word " + std::to_string(highest) + " of shared memory is beyond 2^" + std::to_string(scratchpad::kMaxAddressBits) +
                 ", the most that hashes work on"};
  }
  return set;
}

}  // namespace bankshot::report
