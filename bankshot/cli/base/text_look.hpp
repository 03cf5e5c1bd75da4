// The options --whole-names and --quiet: how a report looks as text.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

struct TextLook {
  bool whole_names = false, quiet = false;

  /// @param left_out  what --quiet leaves out, for --help @return the options
  std::vector<const CLI::Option*> define(CLI::App& app, const std::string& left_out);

  /// For standard output: its colours and width, and what the user asked for.
  report::TextOptions options() const;
};

/// Whether text on standard output may have colours.
bool colour_wanted();

}  // namespace bankshot::cli
