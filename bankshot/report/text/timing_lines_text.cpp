#include "bankshot/report/text/timing_lines_text.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "bankshot/report/run/timing_lines.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {
namespace {

/// What was waited for most before this line; "" if nothing was. Not the further lanes of a line that issues.
std::string main_cause(const timing::LineCounters& counters) {
  const auto most = std::max_element(counters.slots.begin() + 2, counters.slots.end());
  if (*most == 0) return {};
  return fmt::format("      mostly for: {}\n", meaning(static_cast<timing::Cause>(most - counters.slots.begin())));
}

std::string row(const Kernel& kernel, const TimedLine& line, uint64_t all, const Paint& paint) {
  const timing::LineTiming& first = kernel.timing->lines[line.instructions[0]];
  const double share = 100.0 * static_cast<double>(stalls(line.counters)) / static_cast<double>(all);
  return fmt::format("    {:>14} {:>8.1f} % {:>12} {:>12}  {}\n", grouped(stalls(line.counters)), share,
                     grouped(line.counters.conflict_cycles), grouped(line.counters.exposed),
                     paint.strong(place_text(first.source))) +
         main_cause(line.counters);
}

}  // namespace

std::string timed_lines_text(const Kernel& kernel, const TextOptions& options, SourceLines& sources) {
  const std::vector<TimedLine> lines = timed_lines(*kernel.timing);
  // Of a small launch most slots are those of SMs without a CTA: shares of all slots would say nothing.
  const auto slots = slots_of_active_sms(kernel.timing->counters);
  const uint64_t all = std::accumulate(slots.begin(), slots.end(), uint64_t{0});
  const auto waiting = std::ranges::count_if(lines, [](const TimedLine& line) { return stalls(line.counters) != 0; });
  const size_t shown = std::min<size_t>(static_cast<size_t>(waiting), options.top);
  if (shown == 0) return {};
  const Paint paint{options.colour};
  std::string text = fmt::format("\n    {:>14} {:>10} {:>12} {:>12}  {}\n", "slots waited", "of active", "conflicts",
                                 "exposed", "line that waited");
  for (size_t i = 0; i < shown; ++i) {
    text += row(kernel, lines[i], all, paint);
    const simt::Source& source = kernel.timing->lines[lines[i].instructions[0]].source;
    const std::string code = options.read_sources ? sources.get(source.file, source.line) : "";
    if (!code.empty()) text += "      | " + shortened(code, options) + "\n";
    text += frames_text(source, options);
  }
  const size_t more = static_cast<size_t>(waiting) - shown;
  if (more != 0)
    text += fmt::format("    {} waited less (--top {} shows all)\n", counted(more, "line", "lines"), waiting);
  return text;
}

}  // namespace bankshot::report
