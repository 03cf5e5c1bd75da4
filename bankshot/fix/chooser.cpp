#include "bankshot/fix/chooser.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/fix/hash_search.hpp"
#include "bankshot/fix/text.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

using report::grouped;
using rewrite::KernelArrays;

/// The words of an array's accesses, from its start. @return why they are not known, or empty
std::string take_patterns(const analysis::Kernel& kernel, const rewrite::Array& array, scratchpad::PatternSet& set,
                          std::string& notes) {
  bool assumed = false, shifted = false;
  for (const analysis::Site& site : kernel.sites) {
    const bool here = std::any_of(site.arrays.begin(), site.arrays.end(), [&](uint32_t k) {
      return array.dynamic ? kernel.arrays[k].bytes == 0 : kernel.arrays[k].name == array.name;
    });
    if (!here) continue;
    const std::string at = " (" + ptx::to_string({site.ptx_line, site.file, site.line}) + ")";
    if (site.certainty == analysis::Certainty::unknown)
      return "its addresses are not known without a run: " + site.reason + at;
    if (site.patterns_left_out != 0) return "it has too many different accesses to list without a run" + at;
    assumed |= site.certainty == analysis::Certainty::assumed || site.certainty == analysis::Certainty::each;
    shifted |= site.shifted;
    const uint32_t start = site.shifted ? 0 : kernel.arrays[site.arrays[0]].offset / 4;
    if (!add_from_start(set, site.patterns, scratchpad::WordAddress(start)))
      return "an access by its address is outside it" + at;
  }
  if (std::string reason = make_searchable(set); !reason.empty()) return reason;
  if (assumed) notes += "; how often, or by which lanes, is assumed: see bankshot explain --static";
  if (shifted) notes += "; something unknown is added to addresses, and counted as 0";
  return {};
}

/// The best hash for one array goes into `list`. @return what there is to say of it
std::string choose(const analysis::Kernel& kernel, const KernelArrays& arrays, const rewrite::Array& array,
                   const scratchpad::Rules& rules, std::chrono::milliseconds time_limit, const std::string& hash_class,
                   std::vector<rewrite::Choice>& list) {
  if (array.refusal) return left_alone_text(*array.refusal);
  scratchpad::PatternSet set;
  set.rules = rules;
  std::string notes;
  if (std::string reason = take_patterns(kernel, array, set, notes); !reason.empty())
    return left_alone_text({reason, {}});
  const uint64_t before = scratchpad::excess(rules, set, scratchpad::modulo_hash(scratchpad::size_of(set)));
  if (before == 0) return left_alone_text({"it has no conflicts" + notes, {}});
  const auto found = search_hash(rules, set, array.widest, time_limit, hash_class);
  if (!found) return left_alone_text({found.error().message, {}});
  if (found->excess >= before)
    return left_alone_text({no_hash_text(found->status == search::Status::optimal) + notes, {}});
  const scratchpad::BankHash& hash = found->hash;
  if (const auto refusal = rewrite::cannot_rewrite(arrays, array, hash, rules.bank_bytes))
    return left_alone_text(*refusal);
  list.push_back({array.name, hash});
  return fmt::format("hash {}: conflicts {} -> {}, {}{}", scratchpad::spec(hash), grouped(before),
                     grouped(found->excess), status_text(*found), notes);
}

}  // namespace

std::vector<ArrayPlace> arrays_of(const ptx::Module& module, const std::vector<std::string>& kernels) {
  std::vector<ArrayPlace> all;
  for (const std::string& name : kernels) {
    const KernelArrays arrays(module, *ptx::find_kernel(module, name));
    for (const rewrite::Array& array : arrays.arrays) all.push_back({name, array.name, array.widest});
  }
  return all;
}

Choices choose(const ptx::Module& module, const analysis::Kernel& kernel, const scratchpad::Rules& rules,
               std::chrono::milliseconds time_limit, const std::string& hash_class) {
  Choices choices{kernel.name, {}, report::demangle(kernel.name) + "\n"};
  const KernelArrays arrays(module, *ptx::find_kernel(module, kernel.name));
  for (const rewrite::Array& array : arrays.arrays) {
    const std::string what = choose(kernel, arrays, array, rules, time_limit, hash_class, choices.list);
    choices.text += fmt::format("  {}: {}\n", array.name, what);
  }
  if (arrays.arrays.empty()) choices.text += "  no shared memory\n";
  return choices;
}

}  // namespace bankshot::fix
