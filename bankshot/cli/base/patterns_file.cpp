#include "bankshot/cli/base/patterns_file.hpp"

#include <algorithm>
#include <optional>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/report/json/patterns_json.hpp"

namespace bankshot::cli {

Result<scratchpad::PatternSet> read_patterns(const std::string& path, const std::string& gpu) {
  const Result<std::string> text = host::read_text(path);
  if (!text) return text.error();
  std::optional<report::PatternBanks> banks;
  if (!gpu.empty()) {
    const Result<gpu::Gpu> found = gpu::find_gpu(gpu);
    if (!found) return found.error();
    banks = {found->machine.scratchpad, found->machine.warp_size};
  }
  Result<scratchpad::PatternSet> set = report::patterns_from_json(*text, banks ? &*banks : nullptr);
  if (!set) return Error{(path == "-" ? "standard input" : path) + ": " + set.error().message};
  return set;
}

Result<scratchpad::PatternSet> read_patterns(const std::vector<std::string>& paths, const std::string& gpu) {
  scratchpad::PatternSet all;
  for (const std::string& path : paths) {
    Result<scratchpad::PatternSet> set = read_patterns(path, gpu);
    if (!set) return set;
    if (all.patterns.empty()) all.rules = set->rules;
    if (set->rules != all.rules) return Error{path + " is for other banks than " + paths[0]};
    all.address_bits = path == paths[0] ? set->address_bits : std::max(all.address_bits, set->address_bits);
    all.sorted = all.sorted || set->sorted;
    all.patterns.insert(all.patterns.end(), set->patterns.begin(), set->patterns.end());
  }
  return all;
}

}  // namespace bankshot::cli
