// bankshot sweep status, results, plot, export, forget: what a store knows.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/cli/base/page_output.hpp"
#include "bankshot/sweep/answers/groups.hpp"
#include "bankshot/sweep/answers/table.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::cli {

/// Which points are looked at, and which of their results.
struct SweepQuestion {
  std::string sweep;  ///< its name, or the file of its plan
  std::string store, json;
  PageOutput html;                 ///< of results
  std::string measure;             ///< empty: what the plan measures
  std::vector<std::string> where;  ///< "AXIS=VALUE"
  std::string speedup_over, relative_to;
  std::vector<std::string> by;
  std::string best_by;
  bool pareto = false, sensitivity = false;
  size_t limit = 40;
  // of plots
  std::string x, series, panel, output;
  bool results = false;  ///< of forget: also those that no other sweep has
  // of exports
  std::string csv, sql;

  void define_sweep(CLI::App& app, bool required);
  void define_json(CLI::App& app);
  void define_choice(CLI::App& app);
};

int sweep_status(const SweepQuestion& question);
int sweep_results(const SweepQuestion& question);
int sweep_plot(const SweepQuestion& question);
int sweep_export(const SweepQuestion& question);
int sweep_forget(const SweepQuestion& question);

/// A sweep's points as a question wants them.
struct SweepAnswer {
  sweep::SweepInfo info;
  sweep::Table table;
  sweep::Mean mean = sweep::Mean::geometric;
  std::string what;  ///< "cycles", "speed-up over bank_hash=none (cycles)"
  bool more_is_better = false;
  bool compares_cycles = false;  ///< perhaps of different clocks
  sweep::LeftOut left_out;
  std::string without_reference;  ///< a sentence, if points of the reference are not among the others
};
Result<SweepAnswer> answer(sweep::Store& store, const SweepQuestion& question);
Result<sweep::SweepInfo> find_sweep(sweep::Store& store, const std::string& name);

/// Which points the answer lacks, a line for each reason.
std::string caveats(const SweepAnswer& answer);

/// Lines with the cells one below the other; the first `left` columns are flush left.
std::string aligned(const std::vector<std::vector<std::string>>& lines, size_t left);

}  // namespace bankshot::cli
