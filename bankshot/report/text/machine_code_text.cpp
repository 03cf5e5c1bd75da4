#include "bankshot/report/text/machine_code_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {
namespace {

using From = MachineCode::From;

/// "4 and 16 bytes", "none"
std::string widths(const std::vector<unsigned>& bytes) {
  return bytes.empty() ? "none" : fmt::format("{} bytes", fmt::join(bytes, " and "));
}

std::string difference_text(const agreement::Difference& difference) {
  std::string place = "unknown line";
  if (difference.ptx_line != 0) place = place_text({difference.file, difference.line, difference.ptx_line});
  const std::string counted = difference.counted == difference.machine    ? "counted as in machine code"
                              : difference.counted == difference.expected ? "counted as expected"
                                                                          : "counted: " + widths(difference.counted);
  return fmt::format("    {}: {}, expected {}, machine code {}; {}\n", place, difference.kind,
                     widths(difference.expected), widths(difference.machine), counted);
}

/// Kernels whose machine code is of one origin.
std::string origin_text(const RunReport& report, From from) {
  size_t kernels = 0, agree = 0;
  uint64_t not_compared = 0;
  std::string differing;
  for (const Kernel& kernel : report.kernels) {
    const auto& code = kernel.facts.machine_code;
    if (!code || code->from != from) continue;
    ++kernels;
    not_compared += code->not_compared;
    if (code->differences.empty()) {
      ++agree;
      continue;
    }
    differing += "  " + printable(kernel_title(kernel, report)) + "\n";
    for (const agreement::Difference& difference : code->differences) differing += difference_text(difference);
  }
  if (kernels == 0) return {};
  const std::string whose = from == From::program
                                ? fmt::format("machine code of the program (sm_{})", report.machine_code)
                                : fmt::format("machine code by ptxas for sm_{}", report.machine_code);
  const std::string rest = not_compared == 0 ? ""
                                             : fmt::format("; {} not compared (wmma, atomics, barrier objects)",
                                                           counted(not_compared, "access", "accesses"));
  return fmt::format("{}: {} of {} as expected{}\n", whose, agree, counted(kernels, "kernel", "kernels"), rest) +
         differing;
}

/// Kernels without machine code, by the reason.
std::string model_text(const RunReport& report) {
  std::map<std::string, size_t> reasons;
  for (const Kernel& kernel : report.kernels) {
    if (const auto& code = kernel.facts.machine_code; code && code->from == From::model) ++reasons[code->reason];
  }
  std::string text;
  for (const auto& [reason, kernels] : reasons) {
    text += fmt::format("no machine code for {}, counted by the model:\n  {}\n", counted(kernels, "kernel", "kernels"),
                        printable(reason));
  }
  return text;
}

}  // namespace

std::string machine_code_text(const RunReport& report) {
  if (!report.checked) return {};
  return origin_text(report, From::program) + origin_text(report, From::ptxas) + model_text(report);
}

}  // namespace bankshot::report
