// The options that every command has which runs a program.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "bankshot/cli/launch.hpp"
#include "bankshot/cli/overwrite.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

struct RunOptions {
  std::string gpu{gpu::kDefaultGpu};
  unsigned threads = 0;   ///< 0: all cores
  std::string bank_hash;  ///< a spec of hash_text.hpp that the GPU's banks are to have; empty: what its file says

  void define(CLI::App& app);
  /// For commands that count: the others run a program on the banks of the GPU's file, whatever BANKSHOT_BANK_HASH
  /// says.
  void define_bank_hash(CLI::App& app);
};

/// What a program needs to run under Bankshot.
struct Setup {
  gpu::Gpu gpu;
  Target target;
  Environment environment;  ///< without the variables of the report
};

/// The files that a command reads which runs a program.
std::vector<Input> inputs_of(const Setup& setup);

/// "which program? For example: bankshot run ./app"
std::string which_program(const std::string& command);

/// Finds the GPU, inspects the program, and prints its warnings to standard error.
Result<Setup> set_up(const RunOptions& options, const std::vector<std::string>& command);

}  // namespace bankshot::cli
