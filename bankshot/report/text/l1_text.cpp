#include "bankshot/report/text/l1_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/report/run/l1_lines.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {
namespace {

constexpr size_t kMostLines = 5;

/// "8 cycles: stride 33, 32 lines, 1 wavefront"
std::string worst_text(const scratchpad::L1Totals::Worst& worst) {
  std::string text = fmt::format("{}: {}, {}", counted(worst.cost.cycles, "cycle", "cycles"), shape_text(worst.shape),
                                 counted(worst.cost.tags, "line", "lines"));
  if (worst.cost.wavefronts != 0) text += ", " + counted(worst.cost.wavefronts, "wavefront", "wavefronts");
  return text;
}

}  // namespace

std::string l1_text(const Kernel& kernel, const TextOptions& options, SourceLines& sources) {
  const scratchpad::L1Sums<uint64_t> all = kernel.l1();
  if (all.lost() == 0) return {};
  const Paint paint{options.colour};
  std::string text = fmt::format("\n  global accesses in L1, if loads hit: {} needed, {} ideal ({})\n",
                                 counted(all.cycles, "cycle", "cycles"), grouped(all.ideal_cycles),
                                 paint.bad(fmt::format("{:.1f} % are wasted", percent(all.lost(), all.cycles))));
  text += fmt::format("  {:>14} {:>14}  {:<46} {}\n", "cycles", "ideal", "worst access", "source line");
  const std::vector<L1Line> lines = l1_lines(kernel);
  const auto losing =
      static_cast<size_t>(std::ranges::count_if(lines, [](const L1Line& line) { return line.sums.lost() != 0; }));
  const size_t shown = std::min(losing, kMostLines);
  for (size_t k = 0; k < shown; ++k) {
    const L1Site& site = kernel.l1_sites[lines[k].sites[0]];
    text +=
        fmt::format("  {:>14} {:>14}  {:<46} {}\n", grouped(lines[k].sums.cycles), grouped(lines[k].sums.ideal_cycles),
                    worst_text(site.totals.worst), paint.strong(place_text(site.source)));
    if (!options.read_sources) continue;
    const std::string line = sources.get(site.source.file, site.source.line);
    if (!line.empty()) text += "      | " + shortened(line, options) + "\n";
    text += frames_text(site.source, options);
  }
  if (shown < losing) {
    uint64_t rest = 0;
    for (size_t k = shown; k < losing; ++k) rest += lines[k].sums.lost();
    text += fmt::format("  {} more lose {} (--json lists all)\n", losing - shown, counted(rest, "cycle", "cycles"));
  }
  return text;
}

}  // namespace bankshot::report
