// One source line of the text report, with the shared-memory instructions it became.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// "ld.shared.f32", "4 × ld.shared.f32, joined"
std::string operation_text(const Site& site);
/// Colours, or none.
struct Paint {
  bool on = false;
  std::string strong(std::string_view text) const { return wrap("1", text); }
  std::string bad(std::string_view text) const { return wrap("31", text); }
  std::string faint(std::string_view text) const { return wrap("2", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const {
    if (!on) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
};

/// A line with conflicts: what it wastes, its instructions, a picture of its worst access. @param rank  from 1
std::string line_text(const Kernel& kernel, const LineGroup& group, size_t rank, const scratchpad::Rules& rules,
                      const TextOptions& options, SourceLines& sources);

/// The lines without conflicts, each in one line of text while they are few.
std::string clean_lines_text(const Kernel& kernel, const std::vector<LineGroup>& groups);

/// "line" or "lines"; "PTX instruction" and "place" where groups, all or some, have no source line.
std::string noun_of(const Kernel& kernel, const std::vector<LineGroup>& groups);

/// "stride 32", "stride -1", "stride 2 bytes"; for other classes their names.
std::string shape_text(const scratchpad::Shape& shape);
/// The same of the class of the most accesses.
std::string class_text(const scratchpad::SiteTotals& totals);

/// A source line, cut to fit behind "      | ".
std::string shortened(std::string text, const TextOptions& options);

/// The chain of inlined calls from the innermost line to the kernel, a frame a line; empty if nothing was inlined.
std::string frames_text(const simt::Source& source, const TextOptions& options);

/// "transpose.cu:42", or "PTX line 88" without line information.
std::string place_text(const simt::Source& source);

}  // namespace bankshot::report
