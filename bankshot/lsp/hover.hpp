// What reports say of a line, as explain prints it.
#pragma once

#include <string>

#include "bankshot/lsp/workspace.hpp"

namespace bankshot::lsp {

/// Of each kernel: wavefronts and conflicts of the line with the picture of its worst access, its cost in the
/// first-level cache, the slots that waited for it; then what fix advises. Empty if no report has anything on the line.
/// @param line  from 1, as it is now
std::string hover_text(const Source& source, uint32_t line);

/// A block of code in Markdown that nothing in the text can end.
std::string code_block(const std::string& text);

}  // namespace bankshot::lsp
