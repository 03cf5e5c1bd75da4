#include "bankshot/cli/base/gate.hpp"

#include <algorithm>
#include <charconv>

#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

Result<Gate> parse_gate(const std::string& text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain), [](char c) { return c != ' '; });
  const Error error{"--fail-on '" + text + "': must be 'conflicts>N' or 'wavefronts>N', with N a whole number"};
  const size_t sign = plain.find('>');
  if (sign == std::string::npos) return error;
  Gate gate;
  const std::string counter = plain.substr(0, sign);
  if (counter == "wavefronts") {
    gate.counter = Gate::Counter::wavefronts;
  } else if (counter != "conflicts") {
    return error;
  }
  const char* begin = plain.data() + sign + 1;
  const char* end = plain.data() + plain.size();
  const auto parsed = std::from_chars(begin, end, gate.limit);
  if (begin == end || parsed.ec != std::errc{} || parsed.ptr != end) return error;
  return gate;
}

std::string how_exceeded(const Gate& gate, const report::Kernel& kernel, const report::RunReport& report) {
  const bool conflicts = gate.counter == Gate::Counter::conflicts;
  const report::SharedTotals shared = kernel.shared();
  const uint64_t value = conflicts ? shared.conflicts() : shared.wavefronts;
  if (value <= gate.limit) return {};
  return report::kernel_title(kernel, report) + " has " + report::grouped(value) +
         (conflicts ? " conflicts" : " wavefronts") + ", more than " + report::grouped(gate.limit);
}

std::vector<std::string> exceeded(const Gate& gate, const report::RunReport& report) {
  std::vector<std::string> sentences;
  for (const report::Kernel& kernel : report.kernels) {
    if (std::string sentence = how_exceeded(gate, kernel, report); !sentence.empty())
      sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::string keep_kernels(report::RunReport& report, const std::vector<std::string>& parts) {
  if (parts.empty() || (report.kernels.empty() && report.failed.empty())) return {};
  const auto has = [](const auto& kernel, const std::string& part) {
    return kernel.demangled.find(part) != std::string::npos;
  };
  for (const std::string& part : parts) {
    const auto named = [&](const auto& kernel) { return has(kernel, part); };
    if (std::any_of(report.kernels.begin(), report.kernels.end(), named)) continue;
    if (std::any_of(report.failed.begin(), report.failed.end(), named)) continue;
    std::string message = "--kernel " + part + ": no launched kernel has this in its name; launched were:";
    for (const report::Kernel& kernel : report.kernels) message += "\n  " + kernel.demangled;
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
