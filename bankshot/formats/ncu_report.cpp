#include "bankshot/formats/ncu_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/formats/ncu_metrics.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/report/text/failed_text.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/sampled_text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {

std::string to_ncu_text(const report::RunReport& report, bool colour) {
  const report::Paint paint{colour};
  std::string text = fmt::format("{} {} on {}, {}{}\n", paint.strong("bankshot:"), printable(report.program),
                                 printable(report.gpu), report::accesses_text(report.machine_code), assumption(report));
  text += partial_text(report, paint) + sampled_text(report, paint) + failed_text(report.failed, paint);
  if (report.kernels.empty())
    return text + (report.is_partial() ? "no kernel is known to have finished\n" : "no kernel was launched\n");
  for (const report::Kernel& kernel : report.kernels) {
    text += fmt::format("\n{}\n  {}\n", paint.strong(printable(kernel_title(kernel, report))),
                        report::counted(kernel.launches, "launch", "launches, with these sums"));
    text += sampled_text(kernel, paint);
    for (const NcuMetric& metric : ncu_metrics(kernel, report))
      text += fmt::format("  {:<64} {:>16}{}{}\n", metric.name, value_text(metric), metric.unit.empty() ? "" : " ",
                          metric.unit);
  }
  text += "\nNot modelled:\n";
  for (const NotModelled& metric : not_modelled()) text += fmt::format("  {}: {}\n", metric.name, metric.reason);
  return text + "docs/ncu.md says where Nsight Compute counts differently.\n";
}

std::string to_ncu_json(const report::RunReport& report) {
  using nlohmann::ordered_json;
  ordered_json json = {
      {"schema", "bankshot/ncu/1"},     {"program", report.program},        {"gpu", report.gpu},
      {"partial", report.is_partial()}, {"kernels", ordered_json::array()}, {"not_modelled", ordered_json::array()}};
  if (const std::string sampled = report::sampled_sentence(report); !sampled.empty()) json["estimated"] = sampled;
  for (const report::Kernel& kernel : report.kernels) {
    ordered_json metrics = ordered_json::array();
    for (const NcuMetric& metric : ncu_metrics(kernel, report)) {
      ordered_json value = metric.value;
      if (metric.whole && metric.value < 0x1p63) value = static_cast<uint64_t>(metric.value);
      metrics.push_back({{"name", metric.name}, {"unit", metric.unit}, {"value", value}});
    }
    json["kernels"].push_back(
        {{"name", kernel.name}, {"demangled", kernel.demangled}, {"launches", kernel.launches}, {"metrics", metrics}});
  }
  for (const NotModelled& metric : not_modelled())
    json["not_modelled"].push_back({{"name", metric.name}, {"reason", metric.reason}});
  return report::json_text(json);
}

}  // namespace bankshot::formats
