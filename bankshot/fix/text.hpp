// The report of bankshot fix.
#pragma once

#include <string>

#include "bankshot/fix/plan.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::fix {

/// For people. With TextOptions::legend, also what to paste into the source.
std::string to_text(const Plan& plan, const report::TextOptions& options);
/// "left alone: REASON (PLACE)"
std::string left_alone_text(const rewrite::Refusal& refusal);

}  // namespace bankshot::fix
