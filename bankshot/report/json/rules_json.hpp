// The rules of the banks as JSON: in reports and in patterns files. docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::report {

/// An object with `banks`, `bank_bytes`, `lanes_b32`, …, the tables of phases that there are, and `hash` if there is
/// one.
/// @param all  false: only `banks` and values that differ from Rules{}
nlohmann::ordered_json rules_json(const scratchpad::Rules& rules, bool all = true);

/// Reads the same. What is missing is as in Rules{}. The error says which member must be what: "banks: must be …".
Result<scratchpad::Rules> read_rules(const nlohmann::json& object);

}  // namespace bankshot::report
