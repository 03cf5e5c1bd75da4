// What several JSON forms have in common: docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/scratchpad/pattern.hpp"

namespace bankshot::report {

/// The member `scratchpad` of bankshot/explain/1 and bankshot/static/1: all rules.
nlohmann::ordered_json rules_json(const scratchpad::Rules& rules);

/// A member of `patterns` of bankshot/patterns/1.
nlohmann::ordered_json pattern_json(const scratchpad::Pattern& pattern);

}  // namespace bankshot::report
