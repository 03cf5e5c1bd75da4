#include "bankshot/lsp/hover.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/l1_text.hpp"
#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/timing_lines_text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::lsp {
namespace {

/// A kernel as it looks at one line of a source.
class KernelAtLine {
 public:
  KernelAtLine(const report::Kernel& kernel, const View& view, uint32_t line)
      : kernel_(kernel), view_(view), line_(line) {}

  std::string text() const { return shared_text() + l1_lines_text() + timing_text(); }

 private:
  const report::TextOptions kOptions{.read_sources = false, .width = 80};

  bool is_here(const simt::Source& place) const { return view_.now(place, kernel_.module.digest) == line_; }

  std::string shared_text() const {
    std::string text;
    report::SourceLines no_sources;
    const std::vector<report::LineGroup> groups = report::line_groups(kernel_);
    for (size_t k = 0; k < groups.size(); ++k) {
      const auto here = [&](size_t site) { return is_here(kernel_.sites[site].source); };
      if (std::ranges::none_of(groups[k].sites, here)) continue;
      text += groups[k].shared.conflicts() == 0
                  ? report::clean_lines_text(kernel_, {groups[k]})
                  : report::line_text(kernel_, groups[k], k + 1, view_.report->run->rules, kOptions, no_sources);
    }
    return text;
  }

  std::string l1_lines_text() const {
    report::Kernel line;
    std::ranges::copy_if(kernel_.l1_sites, std::back_inserter(line.l1_sites),
                         [&](const report::L1Site& site) { return is_here(site.source); });
    report::SourceLines no_sources;
    return report::l1_text(line, kOptions, no_sources);
  }

  std::string timing_text() const {
    if (!kernel_.timing) return {};
    report::Kernel line;
    line.timing.emplace().counters = kernel_.timing->counters;
    std::ranges::copy_if(kernel_.timing->lines, std::back_inserter(line.timing->lines),
                         [&](const timing::LineTiming& one) { return is_here(one.source); });
    report::SourceLines no_sources;
    return report::timed_lines_text(line, kOptions, no_sources);
  }

  const report::Kernel& kernel_;
  const View& view_;
  uint32_t line_;
};

std::string run_text(const View& view, uint32_t line) {
  std::string text;
  for (const report::Kernel& kernel : view.report->run->kernels) {
    const std::string here = KernelAtLine(kernel, view, line).text();
    if (here.empty()) continue;
    text += fmt::format("{}\non {}{}, {}\n",
                        report::shown_name(report::kernel_title(kernel, *view.report->run), {.width = 80}),
                        printable(view.report->run->gpu), view.report->run->machine ? ", simulated" : "",
                        printable(std::filesystem::path(view.report->path).filename().string()));
    text += here + "\n";
  }
  return text;
}

std::string advice_text(const View& view, uint32_t line) {
  std::string text;
  for (const Advice& advice : view.report->advice) {
    const auto here = [&](const simt::Source& place) { return view.now(place, advice.module) == line; };
    if (advice.remedies.empty() || std::ranges::none_of(advice.places, here)) continue;
    text += fmt::format("fix advises for {} in {}:\n", printable(advice.array),
                        report::shown_name(advice.kernel, {.width = 80}));
    for (const Remedy& remedy : advice.remedies) text += "  " + printable(remedy.title) + "\n";
  }
  return text;
}

}  // namespace

std::string hover_text(const Source& source, uint32_t line) {
  std::string text;
  for (const View& view : source.views) text += view.report->run ? run_text(view, line) : "";
  for (const View& view : source.views) text += advice_text(view, line);
  text = printable(text, true);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string code_block(const std::string& text) {
  size_t longest = 0, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  return fence + "text\n" + text + "\n" + fence;
}

}  // namespace bankshot::lsp
