// The advice of bankshot fix as code actions.
#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/lsp/workspace.hpp"

namespace bankshot::lsp {

/// A list of CodeAction for the lines from `first` to `last`, from 1: the change of the source where fix has it and the
/// lines are as they were then, else the advice as a comment above the access.
nlohmann::json code_actions(const Source& source, const Workspace& workspace, uint32_t first, uint32_t last);

}  // namespace bankshot::lsp
