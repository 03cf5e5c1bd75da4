// The report of a run where the user wants it: what explain, simulate and check have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cli {

/// The options --json, --kernel and --top, and what follows from them.
struct ReportOutput {
  std::string json;                  ///< file, "-" or empty
  std::vector<std::string> kernels;  ///< parts of their names; empty: all
  unsigned top = 10;

  /// @param judged  whether the kernels that are shown are judged as well, for --help
  void define(CLI::App& app, bool judged);

  /// The file descriptor that becomes the program's standard output: not ours, if the report is to be alone there.
  int program_output() const;

  /// Why there cannot be a report in the file of --json, asked before the program runs; or empty.
  /// @param name  of the command, for an example
  std::string problem(const std::string& name, const std::vector<std::string>& command) const;

  /// Writes the report where it is wanted: JSON, or text on standard output. @return false after a message if its file
  /// cannot be written
  bool tell(const report::RunReport& report) const;
  /// The same for one program on several simulated GPUs. @param gpus  their names as given
  bool tell(const std::vector<std::string>& gpus, const std::vector<report::RunReport>& reports) const;

 private:
  bool write(const std::string& json_text, const std::function<std::string()>& text) const;
};

/// Whether text on standard output may have colours.
bool colour_wanted();

/// "bankshot: MESSAGE" on standard error.
void say(const std::string& message);

/// A CLI11 check: "" or an error. CLI11's own message names only the type, not the error.
std::string whole_number(const std::string& text);

}  // namespace bankshot::cli
