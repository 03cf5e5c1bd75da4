#include "bankshot/report/text/sampled_text.hpp"

#include <fmt/format.h>

#include "bankshot/report/text/text.hpp"

namespace bankshot::report {
namespace {

/// "instructions ± 0.4 %, conflicts ± 1.2 %": of the counters that are not 0.
std::string errors_text(const Kernel& kernel) {
  const simt::SampledCtas::Errors& errors = kernel.sampled.errors;
  const SharedTotals shared = kernel.shared();
  std::string text;
  const auto add = [&](std::string_view what, double error, uint64_t count) {
    if (count == 0) return;
    text += fmt::format("{}{} ± {:.1f} %", text.empty() ? "" : ", ", what, 100 * error / static_cast<double>(count));
  };
  add("instructions", errors.warp_instructions, kernel.warp_instructions);
  add("wavefronts", errors.wavefronts, shared.wavefronts);
  add("conflicts", errors.conflicts, shared.conflicts());
  return text;
}

}  // namespace

std::string sampled_sentence(const RunReport& report) {
  const SampledLaunches all = report.sampled();
  if (all.launches == 0) return {};
  return fmt::format("only {} of {} ran (--sample-ctas {}), so counts are estimates", grouped(all.ran),
                     counted(all.ctas, "CTA", "CTAs"), report.sample_ctas);
}

std::string sampled_text(const RunReport& report, const Paint& paint) {
  if (report.sample_ctas == 0) return {};
  const std::string sentence = sampled_sentence(report);
  if (sentence.empty())
    return fmt::format("--sample-ctas {}: no launch was sampled, so nothing here is an estimate\n", report.sample_ctas);
  return paint.bad("estimated: " + sentence) +
         "\n  The results of the other CTAs are missing, so the program may fail, and later launches may do something "
         "else.\n  Counts of a sampled launch are those of its sample, scaled to all CTAs.\n";
}

std::string sampled_text(const Kernel& kernel, const Paint& paint) {
  std::string text;
  if (!kernel.why_all_ctas.empty()) text = fmt::format("  all CTAs ran: {}\n", printable(kernel.why_all_ctas));
  const SampledLaunches& sampled = kernel.sampled;
  if (sampled.launches == 0) return text;
  const std::string which =
      sampled.launches == kernel.launches
          ? ""
          : fmt::format(" in {} of {}", grouped(sampled.launches), counted(kernel.launches, "launch", "launches"));
  const SharedTotals shared = kernel.shared();
  const bool none_seen = shared.wavefronts != 0 && shared.conflicts() == 0;  // others may have some
  return text + "  " +
         paint.bad(fmt::format("estimated from {} of {}{}", grouped(sampled.ran), counted(sampled.ctas, "CTA", "CTAs"),
                               which)) +
         ": " + errors_text(kernel) + ", by the spread of the CTAs" +
         (none_seen ? "; no conflicts in the CTAs that ran\n" : "\n");
}

}  // namespace bankshot::report
