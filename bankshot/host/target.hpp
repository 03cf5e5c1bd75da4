// The program that is to run under Bankshot, looked at before it starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

struct Target {
  std::string path;                    ///< what to execute
  std::vector<std::string> arguments;  ///< argv, the program's name first
  std::vector<std::string> preload;    ///< our libraries that must be loaded first: the one that looks for runtimes
                                     ///< inside programs, and those that the program's DT_RPATH would put others before
  std::vector<std::string> warnings;  ///< for standard error; the program can still be run
};

/// Our drop-in libraries, by the names programs ask for.
const std::vector<std::string>& drop_in_libraries();

/// Finds the program and refuses what cannot run: a missing file, a script's or program's missing permission, source
/// code, another processor's program, a program with a static CUDA runtime that cannot be replaced, and one whose CUDA
/// library is not built.
/// @param command  the program and its arguments, as typed; a name without a slash is looked for here, then in PATH
/// @param libraries  the folder of the drop-in libraries
Result<Target> inspect_target(const std::vector<std::string>& command, const std::string& libraries);

}  // namespace bankshot::host
