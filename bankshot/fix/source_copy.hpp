// The advice of a plan in a copy of the program's source: written, built, run, compared and measured.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/fix/prove.hpp"
#include "bankshot/host/setup.hpp"

namespace bankshot::fix {

struct ApplyOptions {
  std::string folder;
  std::string build;  ///< for the shell, in the folder; empty: nvcc, for one .cu file
  /// What the program that was built needs to run. @param command  the program and its arguments
  std::function<Result<host::Setup>(const std::vector<std::string>& command)> set_up;
};

/// Why the folder cannot take the copy of this program's source, or nothing. For asking before the long work.
std::optional<Error> cannot_apply(const std::string& folder, const host::Setup& setup);

/// Writes the sources that change and fix.diff into the folder, builds the program there, runs it, compares it with the
/// original and measures it: Plan::applied, which says what failed.
/// @param command  of the original
/// @return a failure if it was interrupted
std::optional<Failure> apply_to_source(Fixed& fixed, const host::Setup& setup, const std::vector<std::string>& command,
                                       const ApplyOptions& options, const FixOptions& fix_options);

}  // namespace bankshot::fix
