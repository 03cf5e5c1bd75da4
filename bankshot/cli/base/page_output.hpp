// The option --html: a report as one HTML file.
#pragma once

#include <string>

#include <CLI/App.hpp>

#include "bankshot/page/page.hpp"

namespace bankshot::cli {

struct PageOutput {
  std::string file;  ///< or empty

  void define(CLI::App& app);

  /// Why there cannot be a page in the file, asked before the program runs; or empty.
  /// @param command  "explain" @param program  for an example; may be empty
  /// @param json  the file of --json, which must be another
  std::string problem(const std::string& command, const std::string& program, const std::string& json) const;

  /// Writes the page, if one is wanted. Sets the command line, version and date. @return false after a message if it
  /// cannot be written
  bool write(page::Contents contents) const;
};

}  // namespace bankshot::cli
