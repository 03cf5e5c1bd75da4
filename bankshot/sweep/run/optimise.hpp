// The best machine of a plan, without running all of its points.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/sweep/run/halving.hpp"
#include "bankshot/sweep/run/run_open.hpp"

namespace bankshot::sweep {

struct Optimum {
  size_t candidates =
      0;  ///< machines of the plan: what its points differ in besides program, arguments, seed, variables
  size_t instances = 0;  ///< what each of them runs
  std::vector<Rung> rungs;
  std::vector<size_t> rows;        ///< of each machine its first point
  size_t row = 0;                  ///< of a point of the best machine
  double value = 0;                ///< mean over the instances: geometric, but of conflicts
  size_t equally_good = 1;         ///< machines that have it, of those that are known in full
  size_t in_full = 0;              ///< machines that are
  std::string best;                ///< "gpu=v100 bank_hash=xor"
  size_t runs = 0, full_runs = 0;  ///< that the search asked for; those without sampling
  bool stopped = false;            ///< by request: there is no answer
};

struct OptimiseRequest {
  std::string measure = "cycles";  ///< or "microseconds", "conflicts": what is to be least
  HalvingOptions halving;
  bool retry = false;  ///< runs that failed before, too
  /// As in RunRequest; of the points of one rung.
  std::function<bool(const RunProgress&)> progress;
};

/// Runs points by successive halving, with the estimates of --sample first if the plan simulates. Points that are known
/// do not run. @return an error if the plan is not a grid of machines and instances, or nothing succeeded
Result<Optimum> optimise(Store& store, const Plan& plan, Resolver& resolver, Engine& engine,
                         const OptimiseRequest& request);

/// The machine of a point: "bank_hash=xor scheduler=gto".
std::string describe_machine(const Plan& plan, size_t row);

}  // namespace bankshot::sweep
