#include "bankshot/report/text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/report/evidence.hpp"
#include "bankshot/report/failed_text.hpp"
#include "bankshot/report/kernel_title.hpp"
#include "bankshot/report/site_text.hpp"

namespace bankshot::report {
namespace {

std::string extent(const simt::Dim3& size) {
  if (size.z != 1) return fmt::format("({},{},{})", size.x, size.y, size.z);
  if (size.y != 1) return fmt::format("({},{})", size.x, size.y);
  return fmt::format("{}", size.x);
}

std::string launches(const Kernel& kernel) {
  std::string text = fmt::format("  {} launch{}, grid {}, block {}", grouped(kernel.launches),
                                 kernel.launches == 1 ? "" : "es", extent(kernel.grid), extent(kernel.block));
  if (kernel.launch_shapes_vary) text += " at first (they vary)";
  return text + "\n";
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
  text += fmt::format("  shared memory     {:>16} accesses\n", grouped(shared.accesses));
  text += fmt::format("  wavefronts        {:>16} needed    {:>16} ideal\n", grouped(shared.wavefronts),
                      grouped(shared.ideal_wavefronts));
  const double wasted = 100.0 * static_cast<double>(shared.conflicts()) / static_cast<double>(shared.wavefronts);
  const std::string conflicts = fmt::format("{:>16}", grouped(shared.conflicts()));
  if (shared.conflicts() == 0) return text + "  conflicts         " + conflicts + "\n";
  return text + "  conflicts         " + paint.bad(conflicts) +
         fmt::format(" ({:.1f} % of the wavefronts are wasted)\n", wasted);
}

std::string kernel_text(const Kernel& kernel, const RunReport& report, const TextOptions& options,
                        SourceLines& sources) {
  const Paint paint{options.colour};
  std::string text = "\n" + paint.strong(printable(kernel_title(kernel, report))) + "\n" + launches(kernel) +
                     order(kernel) + totals(kernel, paint);

  std::vector<const Site*> wasteful, clean;
  for (const Site& site : kernel.sites) (site.totals.conflicts() != 0 ? wasteful : clean).push_back(&site);
  std::sort(wasteful.begin(), wasteful.end(), [](const Site* a, const Site* b) {
    const uint64_t left = a->totals.conflicts(), right = b->totals.conflicts();
    return left != right ? left > right : a < b;  // kernel.sites is in the order of the PTX
  });
  const uint64_t all = kernel.shared().conflicts();
  const size_t shown = std::min<size_t>(wasteful.size(), options.top);
  for (size_t i = 0; i < shown; ++i) text += site_text(*wasteful[i], i + 1, all, report.rules, options, sources);
  if (shown < wasteful.size()) {
    uint64_t rest = 0;
    for (size_t i = shown; i < wasteful.size(); ++i) rest += wasteful[i]->totals.conflicts();
    const size_t more = wasteful.size() - shown;
    text += fmt::format("\n  {} more site{} {} {} wavefronts (--top {} shows all)\n", more, more == 1 ? "" : "s",
                        more == 1 ? "wastes" : "waste", grouped(rest), wasteful.size());
  }
  return text + clean_sites_text(clean);
}

}  // namespace

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string to_text(const RunReport& report, const TextOptions& options) {
  const Paint paint{options.colour};
  std::string text = fmt::format("{} {} on {}\n", paint.strong("bankshot:"), printable(report.program),
                                 printable(report.gpu));
  if (report.partial) text += paint.bad("partial: the program did not come to its end") + "\n";
  text += running_text(report) + failed_text(report, paint);
  if (report.kernels.empty())
    return text + (report.is_partial() ? "no kernel is known to have ended\n" : "no kernel was launched\n");
  SourceLines sources;
  bool without_lines = false;
  for (const Kernel& kernel : report.kernels) {
    text += kernel_text(kernel, report, options, sources);
    for (const Site& site : kernel.sites) without_lines |= site.source.line == 0;
  }
  if (without_lines) text += "\nSource lines are missing: compile with nvcc -lineinfo to see them.\n";
  return text + evidence_text(report);
}

}  // namespace bankshot::report
