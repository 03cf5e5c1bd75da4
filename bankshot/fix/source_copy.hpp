// The advice of a plan in a copy of the program's source: written, built, run, compared and measured.
#pragma once

#include <string>
#include <vector>

#include "bankshot/fix/plan.hpp"
#include "bankshot/fix/prove.hpp"
#include "bankshot/host/setup.hpp"

namespace bankshot::fix {

/// Writes the sources that change, and fix.diff, into a folder that is there.
/// @return their names in the folder; the error says which array cannot be changed in the source
Result<std::vector<std::string>> write_sources(const Plan& plan, const std::string& folder);

/// Builds the program there. @param command  for the shell, in the folder; empty: nvcc, for one source
/// @param program  what is built, in the folder
std::optional<Error> build_sources(const Plan& plan, const std::string& folder, const std::vector<std::string>& sources,
                                   const std::string& command, const std::string& program);

/// Runs the program that was built, compares it with the original, and measures both.
/// @return kernels of the plan that were rewritten
Result<std::vector<AppliedKernel>, Failure> measure_sources(const Plan& plan, const host::Setup& original,
                                                            const std::vector<std::string>& original_command,
                                                            const host::Setup& changed,
                                                            const std::vector<std::string>& changed_command,
                                                            const FixOptions& options);

}  // namespace bankshot::fix
