// What a project asks of a run: bankshot.toml with its GPU, limits and suppressions, and the baseline. docs/gates.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/source_roots.hpp"
#include "bankshot/compare/snapshot.hpp"
#include "bankshot/formats/verdict.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/project/project.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

class ProjectOptions {
 public:
  /// The options --config, --no-config, --baseline, --update-baseline, --allow and --ratchet.
  void define(CLI::App& app, compare::Mode mode);

  /// Reads bankshot.toml, if there is one. @param gpu, source_roots  get what it says, unless the user said something
  std::optional<Error> read(std::string& gpu, SourceRoots& source_roots);

  /// Adds the project's file and the baseline to what the command reads, so that no output replaces them. Called before
  /// any output is checked. @param inputs  what the command reads otherwise: --update-baseline does not replace that
  std::optional<Error> add_inputs(const std::vector<std::string>& command, std::vector<host::Input>& inputs);

  /// Reads the baseline. Called before the program runs, after add_inputs. @param kernels  those of --kernel
  std::optional<Error> prepare(const std::vector<std::string>& command, const std::vector<std::string>& kernels);

  /// Adds the text of source lines to the report, and applies the suppressions.
  /// @param sources  which files may be read
  void apply(report::RunReport& report, const report::SourcePolicy& sources);

  /// Limits that bankshot.toml sets.
  const std::vector<compare::Gate>& limits() const { return gates_.fail_on; }
  /// Whether the run is compared with a baseline, or makes one.
  bool has_baseline() const { return !baseline_.empty(); }
  /// Options of the user that need a run; empty if none was given.
  std::string given() const;

  /// What the project makes of a whole run, for settle().
  struct Judgement {
    Status status = kDone;
    std::string said;  ///< lines for standard error
  };
  /// Compares a run with the baseline and adds the result to its verdict, for the documents. Nothing is said or written
  /// yet. A run with gaps is not judged.
  /// @param warnings  whether findings that are warnings count
  Judgement judge(const report::RunReport& report, formats::Verdict& verdict, bool warnings = true) const;
  /// Says it; with --update-baseline also writes the baseline.
  Status settle(const Judgement& judgement, const report::RunReport& report) const;
  /// Says that a run that is not whole was not compared.
  void say_no_verdict() const;
  /// That runs on several GPUs are not compared with the baseline of bankshot.toml; empty if it has none.
  std::string several_gpus() const;
  /// Says that bankshot.toml's limits and baseline are not applied, as nothing runs.
  void say_static() const;

 private:
  Status update(const compare::Snapshot& now) const;
  Judgement hold_against_baseline(const report::RunReport& report, formats::Verdict& verdict, bool warnings) const;

  CLI::App* app_ = nullptr;
  compare::Mode mode_ = compare::Mode::explain;
  std::string config_, baseline_;
  bool no_config_ = false, update_ = false, ratchet_ = false;
  std::vector<std::string> allow_, kernels_;
  std::optional<project::Project> project_;
  project::Gates gates_;
  std::optional<compare::Snapshot> known_;           ///< the baseline
  std::string known_text_;                           ///< of its file
  std::vector<const project::Suppression*> unused_;  ///< suppressions
};

}  // namespace bankshot::cli
