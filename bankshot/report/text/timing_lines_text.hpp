// The source lines of a simulated kernel that were waited for most.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// A row a source line: slots that were waited for it, for what most, its conflicts and their exposed cycles, its text.
/// The first TextOptions::top; empty if nothing was waited for.
std::string timed_lines_text(const Kernel& kernel, const TextOptions& options, SourceLines& sources);

}  // namespace bankshot::report
