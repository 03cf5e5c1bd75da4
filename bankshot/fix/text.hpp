// The report of bankshot fix.
#pragma once

#include <string>

#include "bankshot/fix/plan.hpp"

namespace bankshot::fix {

/// For people, with what to paste into the source.
std::string to_text(const Plan& plan);
/// "left alone: REASON (PLACE)"
std::string left_alone_text(const rewrite::Refusal& refusal);

}  // namespace bankshot::fix
