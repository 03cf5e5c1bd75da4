#include "bankshot/cli/base/source_roots.hpp"

#include <CLI/CLI.hpp>

#include "bankshot/host/source_roots.hpp"

namespace bankshot::cli {

CLI::Option* SourceRoots::define(CLI::App& app) {
  return app
      .add_option("--source-root", given,
                  "read source files only below this folder; may be repeated. Default: the project of the working "
                  "directory and that of the program")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR")
      ->allow_extra_args(false);
}

std::vector<std::string> SourceRoots::of(const std::string& program) const {
  return given.empty() ? host::source_roots(program) : given;
}

}  // namespace bankshot::cli
