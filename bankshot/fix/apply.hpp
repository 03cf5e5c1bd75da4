// Carries out a plan: rewrites the modules and records the results.
#pragma once

#include <optional>
#include <string>

#include "bankshot/fix/plan.hpp"

namespace bankshot::fix {

/// Rewrites the modules of `run`, of the original, by one remedy, where it is open for an array: Plan::patches.
std::optional<Error> rewrite_modules(Plan& plan, Remedy remedy, const WitnessedRun& run, const gpu::Gpu& gpu);

/// Rewrites them by what was chosen for each kernel: Plan::chosen.
std::optional<Error> rewrite_chosen(Plan& plan, const WitnessedRun& run);

/// Fills in what the rewritten program did.
void add_results(Plan& plan, Remedy remedy, const WitnessedRun& run);

/// Gives up a remedy for the arrays that it does not help; call it after add_results(). @return whether there were any:
/// then the modules must be rewritten again
bool drop_what_does_not_help(Plan& plan, Remedy remedy);

/// Gives up a remedy for all arrays of a kernel.
void give_up(KernelPlan& kernel, Remedy remedy, const std::string& reason);

}  // namespace bankshot::fix
