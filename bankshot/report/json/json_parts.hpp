// What several JSON forms have in common: docs/json.md.
#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/simt/state/fault.hpp"

namespace bankshot::report {

/// A member of `patterns` of bankshot/patterns/1.
nlohmann::ordered_json pattern_json(const scratchpad::Pattern& pattern);

/// A size or a place: [x, y, z].
nlohmann::ordered_json extent_json(const simt::Dim3& extent);

/// Which accesses are counted: `as` is "joined", with the architecture of the `machine_code` ("sm_90"), or "written".
/// `checked` is true if they were compared with machine code.
/// @param machine_code, checked  of RunReport
nlohmann::ordered_json accesses_json(unsigned machine_code, bool checked = false);
/// Reads the same; nothing if it is something else.
std::optional<unsigned> read_accesses(const nlohmann::json& object);

}  // namespace bankshot::report
