// The folder of `bankshot reproduce --report`: a file of JSON and one of SVG for each result, kept as soon as it is
// computed, and a page of all results in the folder. Those of an earlier run of the same program are not computed
// again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bankshot/experiment/coverage.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// What there is of an experiment on a GPU, with or without --quick.
struct ReportedExperiment {
  std::string name, stem;         ///< stem: of its files, "NAME", "NAME-quick", "NAME-GPU"
  nlohmann::ordered_json result;  ///< bankshot/reproduce/1; null: there is none
  std::string svg;                ///< the figure; empty: it is a table
  std::string missing;            ///< why there is no result
};

class ReproduceReport {
 public:
  static Result<ReproduceReport> open(const std::string& folder, bool quick);

  /// No result yet.
  ReportedExperiment planned(const experiment::Experiment& experiment, const std::string& gpu) const;
  /// The result of an earlier run, if the same program, experiment and GPU would compute it again.
  std::optional<ReportedExperiment> kept(const experiment::Experiment& experiment, const std::string& gpu) const;
  /// Writes both files. @param one  its result gets the members that docs/json.md names for the folder of --report
  std::optional<Error> keep(ReportedExperiment& one, const experiment::Experiment& experiment, const std::string& gpu,
                            double seconds) const;

  /// index.html, of every result in the folder. @param asked  of these, those without a result are named
  std::optional<Error> write_page(const std::vector<ReportedExperiment>& asked) const;
  std::string page() const { return folder_ + "/index.html"; }

 private:
  std::string key(const experiment::Experiment& experiment, const std::string& gpu, bool quick) const;
  std::optional<ReportedExperiment> read(const std::string& stem) const;
  bool is_current(const ReportedExperiment& one) const;
  std::string path(const std::string& stem) const { return folder_ + "/" + stem; }

  std::string folder_, program_;  ///< program_: digest of what computes
  bool quick_ = false;
  std::vector<experiment::CoveredPaper> papers_;
};

/// The page, which needs no other file.
/// @param results  in order; of an experiment in the table the first counts
/// @param older    results of another program, experiment or GPU, which are only named
std::string reproduce_page(const std::vector<ReportedExperiment>& results, const std::vector<ReportedExperiment>& older,
                           const std::vector<experiment::CoveredPaper>& papers);

}  // namespace bankshot::cli
