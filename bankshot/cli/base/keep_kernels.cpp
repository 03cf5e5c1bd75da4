#include "bankshot/cli/base/keep_kernels.hpp"

#include <algorithm>

#include "bankshot/support/nearest_name.hpp"

namespace bankshot::cli {

std::string keep_kernels(report::RunReport& report, const std::vector<std::string>& parts) {
  if (parts.empty() || (report.kernels.empty() && report.failed.empty())) return {};
  const auto has = [](const auto& kernel, const std::string& part) {
    return kernel.demangled.find(part) != std::string::npos;
  };
  for (const std::string& part : parts) {
    const auto named = [&](const auto& kernel) { return has(kernel, part); };
    if (std::any_of(report.kernels.begin(), report.kernels.end(), named)) continue;
    if (std::any_of(report.failed.begin(), report.failed.end(), named)) continue;
    std::vector<std::string> names;
    for (const report::Kernel& kernel : report.kernels) names.push_back(kernel.demangled);
    std::string message = "--kernel " + part + ": no launched kernel has this in its name" +
                          did_you_mean_part(part, names) + "; launched were:";
    for (const std::string& name : names) message += "\n  " + name;
    return message;
  }
  const auto unwanted = [&](const auto& kernel) {
    return std::none_of(parts.begin(), parts.end(), [&](const std::string& part) { return has(kernel, part); });
  };
  std::erase_if(report.kernels, unwanted);
  std::erase_if(report.findings, [&](const simt::Finding& finding) {
    const std::string name = report::demangle(finding.kernel);
    return !name.empty() && std::none_of(parts.begin(), parts.end(),
                                         [&](const std::string& part) { return name.find(part) != std::string::npos; });
  });
  // A failure that has no kernel's name may be of any.
  std::erase_if(report.failed, [&](const auto& failure) { return !failure.demangled.empty() && unwanted(failure); });
  return {};
}

}  // namespace bankshot::cli
