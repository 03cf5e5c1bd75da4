#include "bankshot/formats/junit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/formats/notices.hpp"
#include "bankshot/formats/place.hpp"
#include "bankshot/formats/xml_text.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::formats {
namespace {

struct Case {
  enum class Result : uint8_t { passed, failure, error, skipped };
  std::string kernel, name;
  Result result = Result::passed;
  std::string message = {};  ///< one line
  std::string details = {};  ///< lines
};
constexpr const char* kIncomplete = "not everything was measured, so there is no verdict";

std::string case_xml(const Case& one) {
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(one.kernel), xml_text(one.name));
  if (one.result == Case::Result::passed) {
    if (one.details.empty()) return text + "/>\n";
    return text + fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", xml_text(one.details));
  }
  const char* const tag = one.result == Case::Result::failure ? "failure"
                          : one.result == Case::Result::error ? "error"
                                                              : "skipped";
  text += fmt::format(">\n      <{} message=\"{}\"", tag, xml_text(one.message));
  text += one.details.empty() ? "/>\n" : fmt::format(">{}</{}>\n", xml_text(one.details), tag);
  return text + "    </testcase>\n";
}

std::string suite_xml(const std::string& name, const std::vector<Case>& cases) {
  const auto number = [&](Case::Result result) { return std::ranges::count(cases, result, &Case::result); };
  std::string text = fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n", xml_text(name),
      cases.size(), number(Case::Result::failure), number(Case::Result::error), number(Case::Result::skipped));
  for (const Case& one : cases) text += case_xml(one);
  return text + "  </testsuite>\n";
}

/// "kernel.cu:14: message", a line each.
std::string place_and_message(const Notice& notice, const Surroundings& around) {
  if (notice.source.line == 0) return message_with_place(notice) + "\n";
  return fmt::format("{}:{}: {}\n", place_of(around.root, notice.source.file).path, notice.source.line, notice.message);
}

/// The lines with conflicts of a kernel, as details of an exceeded limit.
std::string conflicts_of(const std::vector<Notice>& list, const std::string& kernel, const Surroundings& around) {
  std::string text;
  for (const Notice& notice : list) {
    if (notice.kernel == kernel && notice.level != Level::error) text += place_and_message(notice, around);
  }
  return text;
}

void add_limits(const Run& run, const Surroundings& around, std::vector<Case>& cases) {
  const std::vector<Notice> list = notices(run);
  for (const Judged& judged : run.verdict.judged) {
    const report::Kernel* const kernel =
        judged.kernel == Judged::kProgram ? nullptr : &run.report.kernels[judged.kernel];
    Case one{.kernel = kernel == nullptr ? "program" : kernel_title(*kernel, run.report), .name = judged.limit};
    if (!judged.sentence.empty()) {
      one.result = Case::Result::failure;
      one.message = judged.sentence;
      for (const Judged::Line& line : judged.lines)
        one.details += place_and_message({.message = line.sentence, .source = line.source}, around);
      if (kernel != nullptr && judged.lines.empty()) one.details = conflicts_of(list, kernel->demangled, around);
    }
    cases.push_back(std::move(one));
  }
  const auto of_kernel = [](const Judged& judged) { return judged.kernel != Judged::kProgram; };
  if (run.report.checks.any() || std::ranges::any_of(run.verdict.judged, of_kernel)) return;
  for (const report::Kernel& kernel : run.report.kernels) {
    cases.push_back({.kernel = kernel_title(kernel, run.report),
                     .name = "limits",
                     .result = Case::Result::skipped,
                     .message = "no limit or baseline was given"});
  }
}

/// "race"; empty if it is not from a check
std::string_view of_check(const Notice& notice) {
  for (unsigned k = 0; k < simt::kFindingKinds; ++k) {
    const auto kind = static_cast<simt::Finding::Kind>(k);
    if (&rule(kind) == notice.rule) return simt::check_of(kind);
  }
  return {};
}

void add_checks(const Run& run, const Surroundings& around, std::vector<Case>& cases) {
  const std::vector<Notice> list = notices(run);
  std::vector<std::string> kernels;
  for (const report::Kernel& kernel : run.report.kernels) kernels.push_back(kernel.demangled);
  for (const report::FailedLaunches& failure : run.report.failed) kernels.push_back(failure.demangled);
  kernels.emplace_back();  // leaks are of the program
  std::vector<std::string> done;
  for (const std::string& kernel : kernels) {
    if (std::ranges::find(done, kernel) != done.end()) continue;
    done.push_back(kernel);
    for (const simt::CheckName& check : simt::kCheckNames) {
      if (!(run.report.checks.*check.wanted) || check.wanted == &simt::CheckOptions::same_value) continue;
      if (kernel.empty() && check.wanted != &simt::CheckOptions::memory) continue;
      Case one{.kernel = kernel.empty() ? "program" : kernel, .name = kernel.empty() ? "leaks" : check.name};
      size_t counted = 0;
      for (const Notice& notice : list) {
        if (notice.kernel != kernel || of_check(notice) != check.name) continue;
        one.details += place_and_message(notice, around);
        counted += notice.level == Level::error || (notice.level == Level::warning && run.verdict.strict);
      }
      if (counted != 0) {
        one.result = Case::Result::failure;
        one.message = fmt::format("{} {}", counted, counted == 1 ? "finding" : "findings");
      }
      cases.push_back(std::move(one));
    }
  }
}

}  // namespace

std::string to_junit(const std::vector<Run>& runs, const Surroundings& around) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Run& run : runs) {
    const std::vector<std::string> gaps = all_gaps(run);
    std::vector<Case> cases{{.kernel = "program", .name = "run"}};
    for (const std::string& gap : gaps) {
      cases[0].result = Case::Result::error;
      if (cases[0].message.empty()) cases[0].message = gap;
      cases[0].details += gap + "\n";
    }
    if (run.report.checks.any()) add_checks(run, around, cases);
    add_limits(run, around, cases);
    if (!gaps.empty()) {
      for (Case& one : cases) {
        if (one.result != Case::Result::passed) continue;
        one.result = Case::Result::error;
        one.message = kIncomplete;
      }
    }
    text += suite_xml("bankshot " + run.report.program + " on " + run.report.gpu, cases);
  }
  return text + "</testsuites>\n";
}

}  // namespace bankshot::formats
