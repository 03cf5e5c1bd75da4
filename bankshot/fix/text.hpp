// The report of bankshot fix.
#pragma once

#include <string>

#include "bankshot/fix/plan.hpp"
#include "bankshot/fix/source.hpp"

namespace bankshot::fix {

/// For people, with what to paste into the source.
std::string to_text(const Plan& plan);
/// "left alone: REASON (PLACE)"
std::string left_alone_text(const rewrite::Refusal& refusal);
/// An array as its accesses and its declaration show it.
SourceArray source_array(const ArrayPlan& array);
/// C++ to paste for an array that has this remedy.
std::string source_text(const ArrayPlan& array, Remedy remedy, const scratchpad::Rules& rules);

}  // namespace bankshot::fix
