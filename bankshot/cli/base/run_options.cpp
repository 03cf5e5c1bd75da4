#include "bankshot/cli/base/run_options.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

#include "bankshot/scratchpad/hash/hash_class.hpp"

namespace bankshot::cli {

void RunOptions::define(CLI::App& app) {
  app.add_option("--gpu", gpu, "GPU to be: a name of `bankshot gpus`, or a .toml file")
      ->envname(cuda::kGpuVariable)
      ->capture_default_str()
      ->type_name("NAME|FILE.toml");
  app.add_option("--threads", threads, "host threads; 0 takes all cores")
      ->envname(cuda::kThreadsVariable)
      ->check(CLI::Range(0, static_cast<int>(cuda::kMostThreads)))
      ->capture_default_str()
      ->type_name("N");
}

void RunOptions::define_bank_hash(CLI::App& app) {
  app.add_option("--bank-hash", bank_hash,
                 "count as if the hardware chose banks by this hash: " + scratchpad::hash_syntaxes())
      ->envname(cuda::kBankHashVariable)
      ->type_name("SPEC");
}

void RunOptions::define_as_written(CLI::App& app) {
  counts = true;
  app.add_flag("--as-written", as_written,
               "count every access of the PTX by itself; without it, those that ptxas makes one are one");
}

std::string which_program(const std::string& command) {
  return "which program? For example: bankshot " + command + " ./app";
}

Result<host::Setup> set_up(const RunOptions& options, const std::vector<std::string>& command) {
  Result<host::Setup> setup = host::set_up(options, command);
  if (!setup) return setup;
  setup->request.joined = options.counts && !options.as_written;
  for (const std::string& warning : setup->target.warnings)
    std::fprintf(stderr, "bankshot: warning: %s\n", warning.c_str());
  if (setup->gpu.machine.warp_size > 32) {
    std::fprintf(stderr,
                 "bankshot: warning: warps of this GPU have %u lanes; masks of warp-wide instructions (__ballot_sync, "
                 "__shfl_sync) name the lower 32 only, so a program that uses them may compute other results\n",
                 setup->gpu.machine.warp_size);
  }
  return setup;
}

}  // namespace bankshot::cli
