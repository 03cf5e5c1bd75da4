// The options of every command that runs a program.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/host/setup.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

struct RunOptions : host::SetupOptions {
  void define(CLI::App& app);
  /// For commands that count: the others run a program on the banks of the GPU's file, whatever BANKSHOT_BANK_HASH
  /// says.
  void define_bank_hash(CLI::App& app);
  /// For commands that count accesses: --as-written counts them as in the PTX rather than as in machine code.
  void define_as_written(CLI::App& app);
  /// For the same commands: --machine-code compares the accesses with machine code.
  void define_machine_code(CLI::App& app);

  bool progress = false;              ///< show the progress of launches often even if standard error is no terminal
  std::string quicker;                ///< see cuda::Request
  bool counts = false;                ///< accesses are counted
  bool as_written = false;            ///< … as the PTX has them
  bool machine_code = false;          ///< … compared with machine code
  bool warns = true;                  ///< warn of things that a program may compute wrongly on this GPU
  bool without_machine_code = false;  ///< programs are run as if they carried none, to compare them with changed ones
};

/// "which program? For example: bankshot run ./app"
std::string which_program(const std::string& command);

/// As host::set_up, and prints the program's warnings to standard error.
Result<host::Setup> set_up(const RunOptions& options, const std::vector<std::string>& command);

}  // namespace bankshot::cli
