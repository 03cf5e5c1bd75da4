// What a comparison with a baseline means for the documents that other tools read.
#pragma once

#include <string>

#include "bankshot/compare/diff.hpp"
#include "bankshot/compare/snapshot.hpp"
#include "bankshot/formats/verdict.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cli {

/// How a run is compared with its baseline.
struct BaselineRules {
  std::string file;       ///< of the baseline, as named
  bool ratchet = false;   ///< what is better or gone fails, too
  bool warnings = false;  ///< findings that are warnings are compared
};

/// Adds the baseline as a limit of each kernel, with the lines that are worse; and of the program, if a kernel or
/// finding is gone and that fails. Findings that are not worse are known.
/// @param now  snapshot of `report` that `diff` points into; without warnings if these are not compared
void add_to_verdict(const compare::Diff& diff, const compare::Snapshot& now, const BaselineRules& rules,
                    const report::RunReport& report, formats::Verdict& verdict);

}  // namespace bankshot::cli
