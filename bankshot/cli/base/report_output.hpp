// The report of a run where the user wants it: what explain, simulate and check have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/cli/base/page_output.hpp"
#include "bankshot/cli/base/source_roots.hpp"
#include "bankshot/cli/base/text_look.hpp"
#include "bankshot/formats/verdict.hpp"
#include "bankshot/host/observe.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

/// The options --json, --html, --ptx, --kernel, --top and how text looks, and what follows from them.
struct ReportOutput {
  std::string json;  ///< file, "-" or empty
  PageOutput html;
  std::string ptx;                   ///< folder or empty
  std::vector<std::string> kernels;  ///< parts of their names; empty: all
  unsigned top = 10;
  SourceRoots source_roots;
  TextLook look;
  bool without_text = false;  ///< standard output belongs to another document

  /// @param judged  whether the kernels that are shown are judged as well, for --help
  void define(CLI::App& app, bool judged);

  /// The first option given that needs a run, "--top"; or empty.
  std::string first_run_option() const;

  /// The file descriptor that becomes the program's standard output: not ours, if the report is to be alone there.
  int program_output() const;

  /// Why there cannot be a report in the files of --json and --html, asked before the program runs; or empty.
  /// @param name  of the command, for an example
  std::string problem(const std::string& name, const std::vector<std::string>& command) const;
  /// Refuses to write it over what the command reads.
  std::optional<Error> overwrites(const std::vector<host::Input>& inputs) const;
  /// Asks a run for what the report needs: an HTML page shows the PTX of the kernels, and --ptx keeps it.
  void request(cuda::Request& request) const;

  /// Which source files of a program may be quoted.
  report::SourcePolicy sources_of(const std::string& program) const;

  /// Writes the report where it is wanted: JSON, an HTML page, or text on standard output.
  /// @param name  of the command @param target  the program, to say how it ended
  /// @param verdict  what was concluded from the report
  /// @return false after a message if a file cannot be written
  bool tell(const std::string& name, const host::Target& target, const host::Observation& seen,
            const formats::Verdict& verdict) const;
  /// The same for one program on several simulated GPUs. @param gpus  their names as given, one per run
  /// @param judged  what was concluded from each run @param note  what a reader of the page must know; may be empty
  bool tell(const std::vector<std::string>& gpus, const host::Target& target,
            const std::vector<host::Observation>& runs, const std::vector<formats::Run>& judged,
            const std::string& note) const;

 private:
  std::vector<const CLI::Option*> of_runs_;
  report::TextOptions text_options(const std::string& program) const;
  struct Page;
  bool keep_ptx(const Page& page) const;
  std::string kept_ptx_text(const Page& page) const;
  bool write(const std::string& json_text, const Page& page, const std::function<std::string()>& text) const;
};

/// "bankshot: MESSAGE" on standard error.
void say(const std::string& message);

/// A CLI11 check: "" or an error. CLI11's own message names only the type, not the error.
std::string whole_number(const std::string& text);

}  // namespace bankshot::cli
