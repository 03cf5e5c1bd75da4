#include "bankshot/cli/base/source_roots.hpp"

#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/host/source_roots.hpp"

namespace bankshot::cli {

namespace {

/// The files of Python on the command line, also those that pytest is told of: tests/test_tile.py::test_copy.
std::vector<std::string> scripts() {
  std::vector<std::string> files;
  for (const std::string& word : command_line()) {
    std::error_code code;
    const std::string file = word.substr(0, word.find("::"));
    if (file.ends_with(".py") && std::filesystem::is_regular_file(file, code)) files.push_back(file);
  }
  return files;
}

}  // namespace

CLI::Option* SourceRoots::define(CLI::App& app) {
  return app
      .add_option("--source-root", given,
                  "read source files only below this folder; may be repeated. Default: the project of the working "
                  "directory, that of the program, and that of a script in Python")
      ->check(CLI::ExistingDirectory)
      ->type_name("DIR")
      ->allow_extra_args(false);
}

std::vector<std::string> SourceRoots::of(const std::string& program) const {
  if (!given.empty()) return given;
  std::vector<std::string> roots = host::source_roots(program);
  for (const std::string& script : scripts()) {
    for (std::string& root : host::source_roots(script)) {
      if (std::ranges::find(roots, root) == roots.end()) roots.push_back(std::move(root));
    }
  }
  return roots;
}

}  // namespace bankshot::cli
