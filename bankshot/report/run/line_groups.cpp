#include "bankshot/report/run/line_groups.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace bankshot::report {
namespace {

void add(SharedTotals& sums, const scratchpad::SiteTotals& totals) {
  sums.accesses += totals.accesses;
  sums.wavefronts += totals.wavefronts;
  sums.ideal_wavefronts += totals.ideal;
}

}  // namespace

std::vector<LineGroup> line_groups(const Kernel& kernel) {
  std::vector<LineGroup> groups;
  std::map<std::pair<std::string, uint32_t>, size_t> known;
  for (size_t i = 0; i < kernel.sites.size(); ++i) {
    const Site& site = kernel.sites[i];
    size_t group = groups.size();
    if (site.source.line != 0) group = known.try_emplace({site.source.file, site.source.line}, group).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].sites.push_back(i);
    add(groups[group].shared, site.totals);
  }
  for (LineGroup& group : groups) {
    std::stable_sort(group.sites.begin(), group.sites.end(), [&](size_t a, size_t b) {
      return kernel.sites[a].totals.conflicts() > kernel.sites[b].totals.conflicts();
    });
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const LineGroup& a, const LineGroup& b) { return a.shared.conflicts() > b.shared.conflicts(); });
  return groups;
}

std::optional<LineGroup> heaviest_line(const RunReport& report, const Kernel& kernel) {
  for (LineGroup& group : line_groups(kernel)) {
    if (!report.is_suppressed(kernel, kernel.sites[group.sites[0]].source)) return std::move(group);
  }
  return std::nullopt;
}

size_t worst_site(const Kernel& kernel, const LineGroup& group) {
  return *std::max_element(group.sites.begin(), group.sites.end(), [&](size_t a, size_t b) {
    const scratchpad::SiteTotals &left = kernel.sites[a].totals, &right = kernel.sites[b].totals;
    const bool wasteful = left.conflicts() != 0, other_wasteful = right.conflicts() != 0;
    return wasteful != other_wasteful ? other_wasteful : left.degree_max < right.degree_max;
  });
}

}  // namespace bankshot::report
