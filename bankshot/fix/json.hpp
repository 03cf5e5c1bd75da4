// The report of bankshot fix as JSON.
#pragma once

#include <string>

#include "bankshot/fix/plan.hpp"
#include "bankshot/fix/prove.hpp"

namespace bankshot::fix {

/// As docs/json.md describes it.
std::string to_json(const Plan& plan);
/// Likewise, why there is no plan. @param program, gpu  as a plan has them
std::string to_json(const Failure& failure, const std::string& program, const std::string& gpu);

}  // namespace bankshot::fix
