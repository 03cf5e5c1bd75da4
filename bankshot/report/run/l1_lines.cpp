#include "bankshot/report/run/l1_lines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace bankshot::report {

std::vector<L1Line> l1_lines(const Kernel& kernel) {
  std::vector<L1Line> lines;
  std::map<std::pair<std::string, uint32_t>, size_t> known;
  for (size_t k = 0; k < kernel.l1_sites.size(); ++k) {
    const L1Site& site = kernel.l1_sites[k];
    size_t line = lines.size();
    if (site.source.line != 0) line = known.try_emplace({site.source.file, site.source.line}, line).first->second;
    if (line == lines.size()) lines.emplace_back();
    lines[line].sites.push_back(k);
    scratchpad::add(lines[line].sums, site.totals.sums);
  }
  for (L1Line& line : lines) {
    std::ranges::stable_sort(line.sites, std::ranges::greater(),
                             [&](size_t site) { return kernel.l1_sites[site].totals.sums.lost(); });
  }
  std::ranges::stable_sort(lines, std::ranges::greater(), [](const L1Line& line) { return line.sums.lost(); });
  return lines;
}

}  // namespace bankshot::report
