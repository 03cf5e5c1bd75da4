#include "bankshot/report/text/failed_text.hpp"

#include <fmt/format.h>

#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {
namespace {

/// Kernels of one name stand together, at the place of the first.
bool is_first(const std::vector<FailedLaunches>& failed, size_t i) {
  for (size_t before = 0; before < i; ++before)
    if (failed[before].kernel == failed[i].kernel) return false;
  return true;
}

/// In lines of at most 100 columns where blanks allow it.
std::string wrapped(std::string_view text, std::string_view indent) {
  constexpr size_t kColumns = 100;
  const size_t room = kColumns - indent.size();
  std::string lines;
  while (text.size() > room) {
    size_t end = text.rfind(' ', room);
    if (end == text.npos) end = text.find(' ');
    if (end == text.npos) break;
    lines += std::string(indent) + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(end + 1);
  }
  return lines + std::string(indent) + std::string(text) + "\n";
}

}  // namespace

std::string failed_text(const std::vector<FailedLaunches>& failed, const Paint& paint) {
  if (failed.empty()) return {};
  uint64_t all = 0;
  for (const FailedLaunches& failure : failed) all += failure.launches;
  std::string text = paint.bad(fmt::format("partial: {} launch{} failed and {} not included in the figures below",
                                           grouped(all), all == 1 ? "" : "es", all == 1 ? "is" : "are")) +
                     "\n";
  for (size_t i = 0; i < failed.size(); ++i) {
    if (!is_first(failed, i)) continue;
    const std::string& kernel = failed[i].kernel;
    text += "  " + (kernel.empty() ? "unknown kernels" : printable(failed[i].demangled)) + "\n";
    for (const FailedLaunches& failure : failed) {
      if (failure.kernel != kernel) continue;
      const std::string count = failure.launches > 1 ? fmt::format(" ({} launches)", grouped(failure.launches)) : "";
      text += wrapped(printable(failure.reason) + count, "      ");
    }
  }
  return text;
}

std::string partial_text(const RunReport& report, const Paint& paint) {
  std::string text;
  if (report.lost != 0)
    text += paint.bad("partial: " + counted(report.lost, "file was", "files were") +
                      " lost; the figures below do not include " + (report.lost == 1 ? "it" : "them")) +
            "\n";
  else if (report.partial)
    text += paint.bad("partial: the program did not finish") + "\n";
  for (const std::string& kernel : report.running)
    text += "  it ended while this kernel ran: " + printable(demangle(kernel)) + "\n";
  return text;
}

}  // namespace bankshot::report
