#include "bankshot/cli/run_options.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

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

std::string which_program(const std::string& command) {
  return "which program? For example: bankshot " + command + " ./app";
}

Result<Setup> set_up(const RunOptions& options, const std::vector<std::string>& command) {
  const std::string libraries = library_folder();
  const Result<Target> target = inspect_target(command, libraries);
  if (!target) return target.error();
  const Result<gpu::Gpu> gpu = gpu::find_gpu(options.gpu);
  if (!gpu) return gpu.error();
  Setup setup{*gpu, *target, {}};
  add_libraries(setup.environment, *target, libraries);
  setup.environment["BANKSHOT_GPU"] = gpu->file;
  setup.environment["BANKSHOT_THREADS"] = std::to_string(options.threads);
  for (const std::string& warning : target->warnings) std::fprintf(stderr, "bankshot: warning: %s\n", warning.c_str());
  return setup;
}

}  // namespace bankshot::cli
