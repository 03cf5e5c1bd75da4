#include "bankshot/report/text/text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/report/text/compiled_text.hpp"
#include "bankshot/report/text/evidence.hpp"
#include "bankshot/report/text/failed_text.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/l1_text.hpp"
#include "bankshot/report/text/left_open_text.hpp"
#include "bankshot/report/text/machine_code_text.hpp"
#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/operands_text.hpp"
#include "bankshot/report/text/sampled_text.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/suppressed_text.hpp"
#include "bankshot/report/text/timing_text.hpp"
#include "bankshot/report/text/transactions_text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::report {
namespace {

std::string extent(const simt::Dim3& size) {
  if (size.z != 1) return fmt::format("({},{},{})", size.x, size.y, size.z);
  if (size.y != 1) return fmt::format("({},{})", size.x, size.y);
  return fmt::format("{}", size.x);
}

std::string launches(const Kernel& kernel) {
  std::string text = fmt::format("  {}, grid {}, block {}", counted(kernel.launches, "launch", "launches"),
                                 extent(kernel.grid), extent(kernel.block));
  if (kernel.launch_shapes_vary) text += " at first (they vary)";
  return text + "\n";
}

std::string stopped(const StoppedLaunches& stopped, const Paint& paint) {
  if (stopped.launches == 0) return {};
  return "  " +
         paint.bad(fmt::format("partial: {} stopped before {} end: {} of {} ended; the numbers cover what ran",
                               counted(stopped.launches, "launch was", "launches were"),
                               stopped.launches == 1 ? "its" : "their", grouped(stopped.ctas_ended),
                               counted(stopped.ctas, "CTA", "CTAs"))) +
         "\n";
}

std::string order(const Kernel& kernel) {
  if (kernel.parallel) return {};
  return fmt::format("  CTAs ran in one fixed order, not in parallel: {}\n", printable(kernel.why_serial));
}

std::string totals(const Kernel& kernel, const Paint& paint) {
  const SharedTotals shared = kernel.shared();
  std::string text = fmt::format("  instructions      {:>16} warp      {:>16} thread\n",
                                 grouped(kernel.warp_instructions), grouped(kernel.thread_instructions));
  if (shared.accesses == 0) return text + "  shared memory is not used\n";
  text += fmt::format("  shared memory     {:>16} {}\n", grouped(shared.accesses),
                      shared.accesses == 1 ? "access" : "accesses");
  text += fmt::format("  wavefronts        {:>16} needed    {:>16} ideal\n", grouped(shared.wavefronts),
                      grouped(shared.ideal_wavefronts));
  const double wasted = 100.0 * static_cast<double>(shared.conflicts()) / static_cast<double>(shared.wavefronts);
  const std::string conflicts = fmt::format("{:>16}", grouped(shared.conflicts()));
  if (shared.conflicts() == 0) return text + "  conflicts         " + conflicts + "\n";
  return text + "  conflicts         " + paint.bad(conflicts) +
         fmt::format(" ({:.1f} % of the wavefronts are wasted)\n", wasted);
}

std::string kernel_text(const Kernel& kernel, const RunReport& report, const TextOptions& options, SourceLines& sources,
                        bool& pictures) {
  const Paint paint{options.colour};
  std::string text = "\n" + paint.strong(shown_name(kernel_title(kernel, report), options)) + "\n" + launches(kernel);
  if (kernel.timing && report.machine) return text + timing_text(kernel, report, options, sources);
  text += stopped(kernel.stopped, paint) + sampled_text(kernel, paint) + order(kernel) + totals(kernel, paint) +
          compiled_text(kernel) + transactions_text(kernel);

  std::vector<LineGroup> wasteful = line_groups(kernel), clean;
  const auto first_clean = std::find_if(wasteful.begin(), wasteful.end(),
                                        [](const LineGroup& group) { return group.shared.conflicts() == 0; });
  clean.assign(first_clean, wasteful.end());
  wasteful.erase(first_clean, wasteful.end());
  const size_t all = wasteful.size(), shown = std::min<size_t>(all, options.top);
  for (size_t i = 0; i < shown; ++i) text += line_text(kernel, wasteful[i], i + 1, report.rules, options, sources);
  pictures |= shown != 0;
  if (shown < all) {
    wasteful.erase(wasteful.begin(), wasteful.begin() + static_cast<long>(shown));
    uint64_t rest = 0;
    for (const LineGroup& group : wasteful) rest += group.shared.conflicts();
    text += fmt::format("\n  {}{} {} {} {} (--top {} shows all)\n", wasteful.size(), shown == 0 ? "" : " more",
                        noun_of(kernel, wasteful), wasteful.size() == 1 ? "wastes" : "waste",
                        counted(rest, "wavefront", "wavefronts"), all);
  }
  return text + clean_lines_text(kernel, clean) + operands_text(kernel, options) + l1_text(kernel, options, sources);
}

/// What PTX leaves open and the program relies on, each once.
std::string all_left_open_text(const RunReport& report) {
  std::string text;
  for (const simt::LeftOpen what : simt::kLeftOpen) {
    for (const Kernel& kernel : report.kernels) {
      const auto place = std::ranges::find(kernel.left_open, what, &simt::LeftOpenPlace::what);
      if (place == kernel.left_open.end()) continue;
      text += "  " + left_open_text(*place) + '\n';
      break;
    }
  }
  if (text.empty()) return {};
  return "\nPTX does not define the results of these instructions; docs/conformance.md describes what Bankshot "
         "does:\n" +
         text;
}

/// Whether no line of the kernel is known; some instructions have none however it was compiled.
bool lacks_lines(const Kernel& kernel) {
  const auto known = [](const auto& part) { return part.source.line != 0; };
  const bool timed = kernel.timing && !kernel.timing->lines.empty();
  const bool loses_l1 = kernel.l1().lost() != 0;
  if (kernel.sites.empty() && !timed && !loses_l1) return false;
  return std::ranges::none_of(kernel.sites, known) && !(loses_l1 && std::ranges::any_of(kernel.l1_sites, known)) &&
         !(timed && std::ranges::any_of(kernel.timing->lines, known));
}

}  // namespace

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
double percent(uint64_t part, uint64_t whole) { return 100 * share(part, whole); }

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(uint64_t number, std::string_view one, std::string_view more) {
  return grouped(number) + " " + std::string(number == 1 ? one : more);
}

std::string folded(const std::string& text, size_t width) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()), ' ');
    while (line.size() > width) {
      const size_t blank = line.rfind(' ', width);
      if (blank == std::string::npos || blank <= indent.size()) break;
      out += line.substr(0, blank) + "\n";
      line = indent + line.substr(blank + 1);
    }
    out += line + "\n";
  }
  return out;
}

std::string accesses_text(unsigned machine_code) {
  return machine_code == 0 ? "accesses as written in the PTX"
                           : fmt::format("accesses as ptxas joins them for sm_{}", machine_code);
}

std::string to_text(const RunReport& report, const TextOptions& options) {
  const Paint paint{options.colour};
  std::string text =
      fmt::format("{} {} on {}{}, {}\n", paint.strong("bankshot:"), printable(report.program), printable(report.gpu),
                  report.machine ? ", simulated" : "", accesses_text(report.machine_code));
  if (report.machine) text += machine_text(*report.machine);
  text += machine_code_text(report);
  text += partial_text(report, paint) + sampled_text(report, paint);
  if (report.rules.hash && !report.machine) {
    text +=
        fmt::format("counted as if the hardware chose banks by the hash {}\n", scratchpad::spec(*report.rules.hash));
  }
  if (!report.instruction_hashes.empty()) {
    text += fmt::format("counted as if loads and stores had the hashes in {}\n", printable(report.instruction_hashes));
    for (const std::string& kernel : report.without_hashes)
      text += fmt::format("  not in this file, so counted without a hash: {}\n", printable(kernel));
  }
  text += failed_text(report.failed, paint);
  if (report.kernels.empty())
    return text + (report.is_partial() ? "no kernel is known to have finished\n" : "no kernel was launched\n");
  if (report.machine && report.kernels.size() > 1) text += program_text(report);
  SourceLines sources(options.sources);
  bool without_lines = false, pictures = false;
  for (const Kernel& kernel : report.kernels) {
    text += kernel_text(kernel, report, options, sources, pictures);
    without_lines |= lacks_lines(kernel);
  }
  if (without_lines) text += "\nSource lines are missing: compile with nvcc -lineinfo to see them.\n";
  for (const std::string& note : sources.notes()) text += "\n" + note + "\n";
  text += all_left_open_text(report);
  if (pictures && options.legend) text += folded(evidence_text(report), options.width);
  return text + suppressed_text(report, paint);
}

}  // namespace bankshot::report
