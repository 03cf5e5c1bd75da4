// The report of bankshot fix.
#pragma once

#include <string>

#include "bankshot/fix/plan.hpp"

namespace bankshot::fix {

/// For people, with what to paste into the source.
std::string to_text(const Plan& plan, const gpu::Gpu& gpu);
/// "left alone: REASON (PLACE)"
std::string left_alone_text(const rewrite::Refusal& refusal);
/// As docs/json.md describes it.
std::string to_json(const Plan& plan);

}  // namespace bankshot::fix
