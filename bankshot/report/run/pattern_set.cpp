#include "bankshot/report/run/pattern_set.hpp"

namespace bankshot::report {

Result<scratchpad::PatternSet> pattern_set(const scratchpad::Rules& rules, std::span<const Kernel> kernels,
                                           bool as_is) {
  scratchpad::PatternSet set;
  set.rules = rules;
  set.rules.hash.reset();
  set.sorted = !as_is;
  for (const Kernel& kernel : kernels) {
    for (const Site& site : kernel.sites) {
      for (const scratchpad::Pattern& p : scratchpad::patterns(site.totals.trace, kind_of(site), site.width)) {
        set.patterns.push_back(as_is ? p : scratchpad::canonical(rules, p));
      }
    }
  }
  if (set.patterns.empty()) return Error{"no access to shared memory was seen"};
  scratchpad::merge_equal(set.patterns);
  if (!scratchpad::fit_address_bits(set, scratchpad::kUsualAddressBits)) {
    return Error{"shared memory is accessed beyond word 2^" + std::to_string(scratchpad::kMaxAddressBits) +
                 ", the limit of bank hashes"};
  }
  return set;
}

}  // namespace bankshot::report
