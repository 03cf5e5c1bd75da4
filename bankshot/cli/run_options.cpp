#include "bankshot/cli/run_options.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"

namespace bankshot::cli {

void RunOptions::define(CLI::App& app) {
  app.add_option("--gpu", gpu, "GPU to be: a name of `bankshot gpus`, or a .toml file")
      ->envname("BANKSHOT_GPU")
      ->capture_default_str()
      ->type_name("NAME|FILE.toml");
  app.add_option("--threads", threads, "host threads; 0 takes all cores")
      ->envname("BANKSHOT_THREADS")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str()
      ->type_name("N");
}

void RunOptions::define_bank_hash(CLI::App& app) {
  app.add_option("--bank-hash", bank_hash,
                 "count as if the hardware chose banks by this hash: " + scratchpad::hash_syntaxes())
      ->envname("BANKSHOT_BANK_HASH")
      ->type_name("SPEC");
}

std::string which_program(const std::string& command) {
  return "which program? For example: bankshot " + command + " ./app";
}

std::vector<Input> inputs_of(const Setup& setup) {
  return {{"the program that is to run", setup.target.path}, {"the file of --gpu", setup.gpu.file}};
}

Result<Setup> set_up(const RunOptions& options, const std::vector<std::string>& command) {
  const std::string libraries = library_folder();
  const Result<Target> target = inspect_target(command, libraries);
  if (!target) return target.error();
  const Result<gpu::Gpu> gpu = gpu::find_gpu(options.gpu);
  if (!gpu) return gpu.error();
  Setup setup{*gpu, *target, {}};
  std::optional<std::string>& bank_hash = setup.environment["BANKSHOT_BANK_HASH"];
  if (!options.bank_hash.empty()) {
    if (const auto error = scratchpad::set_bank_hash(setup.gpu.machine.scratchpad, options.bank_hash)) {
      return Error{"--bank-hash: " + error->message};
    }
    bank_hash = options.bank_hash;
  }
  add_libraries(setup.environment, *target, libraries);
  setup.environment["BANKSHOT_GPU"] = gpu->file;
  setup.environment["BANKSHOT_THREADS"] = std::to_string(options.threads);
  for (const std::string& warning : target->warnings) std::fprintf(stderr, "bankshot: warning: %s\n", warning.c_str());
  return setup;
}

}  // namespace bankshot::cli
