// What several JSON forms have in common: docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/simt/state/fault.hpp"

namespace bankshot::report {

/// A member of `patterns` of bankshot/patterns/1.
nlohmann::ordered_json pattern_json(const scratchpad::Pattern& pattern);

/// A size or a place: [x, y, z].
nlohmann::ordered_json extent_json(const simt::Dim3& extent);

}  // namespace bankshot::report
