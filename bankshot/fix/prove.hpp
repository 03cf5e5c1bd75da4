// A program fixed from end to end: run, planned, rewritten, run again, compared and simulated.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/fix/compare.hpp"
#include "bankshot/fix/plan.hpp"
#include "bankshot/host/setup.hpp"
#include "bankshot/measure/runner.hpp"

namespace bankshot::fix {

/// Why there is no fix.
struct Failure {
  enum class Kind {
    not_run,      ///< the program could not be run, or what it did is lost
    failed,       ///< the program itself failed: `run` is how
    interrupted,  ///< by Ctrl-C
    unproved,     ///< the rewritten program is not proved to do the same
  };
  Kind kind;
  std::string why;
  std::optional<WitnessedRun> run = {};
};

struct FixOptions : PlanOptions {
  bool cycles = true;                 ///< simulate, to judge by cycles
  measure::Runner* runner = nullptr;  ///< a GPU to measure the forms on, beside the simulation; null: none
  bool even_if_slower = false;        ///< rewrite what is not worth it, too
  std::function<void(const std::string&)> progress = [](const std::string&) {};  ///< told what is done next
};

/// A plan, carried out and proved where there was anything to rewrite.
struct Fixed {
  Plan plan;
  WitnessedRun original;
  std::optional<WitnessedRun> simulated;  ///< the original, if all was simulated
  Unsteady times;                         ///< what the original does not repeat
};
Result<Fixed, Failure> fix_program(const host::Setup& setup, const std::vector<std::string>& command,
                                   const FixOptions& options);

}  // namespace bankshot::fix
