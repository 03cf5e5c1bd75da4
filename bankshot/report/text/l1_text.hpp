// The first-level cache's cost of global memory, by source line.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// The lines that lose most cycles, five at most; nothing if none loses any.
std::string l1_text(const Kernel& kernel, const TextOptions& options, SourceLines& sources);

}  // namespace bankshot::report
