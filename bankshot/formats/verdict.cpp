#include "bankshot/formats/verdict.hpp"

#include "bankshot/report/text/sampled_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {

std::vector<std::string> all_gaps(const Run& run) {
  const report::RunReport& report = run.report;
  std::vector<std::string> gaps;
  for (const std::string& gap : run.verdict.gaps) gaps.push_back(printable(gap));
  if (report.lost != 0) {
    gaps.push_back(report::counted(report.lost, "file", "files") + " with results of the program's processes " +
                   (report.lost == 1 ? "is" : "are") + " lost");
  } else if (report.partial) {
    gaps.emplace_back("the program did not finish");
  }
  for (const report::FailedLaunches& failure : report.failed) {
    const std::string name = failure.demangled.empty() ? "unknown kernels" : printable(failure.demangled);
    gaps.push_back(report::counted(failure.launches, "launch of ", "launches of ") + name +
                   " failed: " + printable(failure.reason));
  }
  if (const uint64_t stopped = report.partial_launches(); stopped != 0)
    gaps.push_back(report::counted(stopped, "launch was", "launches were") + " stopped before the end");
  if (std::string sampled = report::sampled_sentence(report); !sampled.empty()) gaps.push_back(std::move(sampled));
  if (report.kernels.empty() && report.failed.empty()) gaps.emplace_back("no kernel was launched");
  return gaps;
}

std::string changed_source_text(const std::string& file) {
  return printable(file) + " changed after the program was built, so the lines may be wrong; build it again";
}

}  // namespace bankshot::formats
