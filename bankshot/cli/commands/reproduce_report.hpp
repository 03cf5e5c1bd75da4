// The folder of `bankshot reproduce --report`: a file of JSON and one of SVG for each experiment, kept as soon as it is
// computed, and a page of all. What lies there from an earlier run of the same program is not computed again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bankshot/experiment/coverage.hpp"
#include "bankshot/experiment/experiment.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

/// What there is of an experiment.
struct ReportedExperiment {
  std::string name;
  nlohmann::ordered_json result;  ///< bankshot/reproduce/1; null: there is none
  std::string svg;                ///< the figure; empty: it is a table
  std::string missing;            ///< why there is no result
};

class ReproduceReport {
 public:
  static Result<ReproduceReport> open(const std::string& folder, bool quick);

  /// What makes a result good for later runs: this program and its libraries, the experiment, what it runs and on what.
  std::string key(const experiment::Experiment& experiment, const std::vector<std::string>& gpu_files) const;
  /// What an earlier run left under that key.
  std::optional<ReportedExperiment> kept(const std::string& name, const std::string& key) const;
  /// Writes both files. @param result  gets the members `key` and `seconds`
  std::optional<Error> keep(ReportedExperiment& experiment, const std::string& key, double seconds) const;

  /// index.html. @param experiments  those that were asked for, in order, computed or not
  std::optional<Error> write_page(const std::vector<ReportedExperiment>& experiments) const;
  /// DIR/NAME, or DIR/NAME-quick, without an ending.
  std::string stem(const std::string& name) const { return folder_ + "/" + name + (quick_ ? "-quick" : ""); }
  std::string page() const { return folder_ + "/index.html"; }

 private:
  std::string folder_, program_;  ///< program_: digest of what computes
  bool quick_ = false;
  std::vector<experiment::CoveredPaper> papers_;
};

/// The page, which needs no other file.
std::string reproduce_page(const std::vector<ReportedExperiment>& experiments,
                           const std::vector<experiment::CoveredPaper>& papers, bool quick);

}  // namespace bankshot::cli
