// What a plan wants to change in the source.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bankshot/fix/change_source.hpp"
#include "bankshot/fix/plan.hpp"

namespace bankshot::fix {

/// A change, the kernels that it is for, and why it cannot be made, or empty.
struct WantedChange {
  SourceChange change;
  std::set<std::string> kernels;
  std::string refusal;
};

/// What is to change in each source; "" has the arrays whose source is not known. An array that several kernels share
/// changes once.
std::map<std::string, std::vector<WantedChange>> wanted_changes(const Plan& plan, const WitnessedRun& original);

/// Fills in ArrayPlan::edits: what each array alone changes.
void add_source_edits(Plan& plan, const WitnessedRun& original);

}  // namespace bankshot::fix
