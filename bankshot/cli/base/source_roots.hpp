// --source-root: which source files a command may quote.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace bankshot::cli {

struct SourceRoots {
  std::vector<std::string> given;

  CLI::Option* define(CLI::App& app);
  /// Those given, else those of the working directory and the program.
  std::vector<std::string> of(const std::string& program) const;
};

}  // namespace bankshot::cli
