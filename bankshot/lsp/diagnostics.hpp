// Notices of reports as diagnostics of a source.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/lsp/workspace.hpp"

namespace bankshot::lsp {

/// A line without its blanks at the beginning, as a range. @param line  from 1; past the end: the last line
nlohmann::json line_range(const Source& source, uint32_t line);

/// A list of Diagnostic, each once. A line that was changed since the report has it where it was, as information, and
/// says so; likewise all lines of a source that changed after the program was built. @param related  whether the client
/// shows places that belong to a diagnostic: the calls of inlined code
nlohmann::json diagnostics(const Source& source, const Workspace& workspace, bool related);

}  // namespace bankshot::lsp
