// The result of a run in the formats of other tools: what explain, simulate and check have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/formats/verdict.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// A file that an option names.
struct OutputFile {
  std::string option, file;
};

/// The options --sarif, --junit, --code-quality, --csv and --github.
struct FormatOutput {
  std::string sarif, junit, code_quality;  ///< file, "-" or empty
  std::string github;                      ///< the same, but "-" is printed after the report
  std::vector<std::string> csv;            ///< "ncu", "ncu-raw", or with "=FILE"

  /// @param judged  whether the command has a verdict @param counted  whether it counts accesses
  void define(CLI::App& app, bool judged, bool counted);

  /// One of the options that were given: "--sarif", or empty.
  std::string first_option() const;
  /// Whether a document goes to standard output, where nothing else may be.
  bool takes_standard_output() const;

  /// Why a document cannot be written, asked before the program runs; or empty. @param others  further files that the
  /// command writes
  std::string problem(const std::vector<OutputFile>& others) const;
  /// Refuses to write over what the command reads.
  std::optional<Error> overwrites(const std::vector<host::Input>& inputs) const;

  /// Writes each document, whole or not at all, and prints annotations. @param sources  which files may be quoted
  /// @return false after a message if a file cannot
  /// be written
  bool tell(const std::vector<formats::Run>& runs, const report::SourcePolicy& sources) const;

 private:
  using Writer = std::function<std::string(const std::vector<formats::Run>&, const formats::Surroundings&)>;
  struct Document : OutputFile {
    Writer write;
  };
  /// Those that go to a file or, as "-", to standard output.
  std::vector<Document> files() const;
};

}  // namespace bankshot::cli
