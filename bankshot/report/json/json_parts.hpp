// What several JSON forms have in common: docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::report {

/// A member of `patterns` of bankshot/patterns/1.
nlohmann::ordered_json pattern_json(const scratchpad::Pattern& pattern);

}  // namespace bankshot::report
