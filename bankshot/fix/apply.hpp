// Carries out a plan: rewrites the modules and records the results.
#pragma once

#include <optional>

#include "bankshot/fix/plan.hpp"

namespace bankshot::fix {

/// Rewrites the modules of `run`, of the original, for all arrays that are not left alone.
std::optional<Error> rewrite_modules(Plan& plan, const WitnessedRun& run, const gpu::Gpu& gpu);

/// Fills in what the rewritten program did.
void add_results(Plan& plan, const WitnessedRun& run);

/// Leaves the arrays alone whose hash did not help; call it after add_results(). @return whether there were any: then
/// the modules must be rewritten again
bool drop_what_does_not_help(Plan& plan);

}  // namespace bankshot::fix
