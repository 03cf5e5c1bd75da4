#include "bankshot/report/run/timing_lines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace bankshot::report {

std::vector<TimedLine> timed_lines(const KernelTiming& timing) {
  std::vector<TimedLine> groups;
  std::map<std::pair<std::string, uint32_t>, size_t> known;
  for (size_t i = 0; i < timing.lines.size(); ++i) {
    const timing::LineTiming& line = timing.lines[i];
    size_t group = groups.size();
    if (line.source.line != 0) group = known.try_emplace({line.source.file, line.source.line}, group).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].instructions.push_back(i);
    add(groups[group].counters, line.counters);
  }
  for (TimedLine& group : groups) {
    std::ranges::stable_sort(group.instructions, [&](size_t a, size_t b) {
      return stalls(timing.lines[a].counters) > stalls(timing.lines[b].counters);
    });
  }
  std::ranges::stable_sort(
      groups, [](const TimedLine& a, const TimedLine& b) { return stalls(a.counters) > stalls(b.counters); });
  return groups;
}

}  // namespace bankshot::report
