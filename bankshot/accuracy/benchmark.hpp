// A benchmark: which rows it answers, and how. Each family of benchmarks is one file of families/ with one function.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bankshot/accuracy/rows.hpp"
#include "bankshot/accuracy/unit.hpp"
#include "bankshot/measure/runner.hpp"

namespace bankshot::accuracy {

/// What a benchmark goes through in global memory, over and over.
struct Footprint {
  uint64_t bytes = 0;    ///< of all SMs; 0: it is not about a level of the memory
  bool divided = false;  ///< each SM has its part of them; else each goes through all
  bool past_l1 = false;  ///< by loads that L1 does not keep

  static constexpr uint64_t kPastL2 = ~uint64_t{0};  ///< bytes: the benchmark itself sees to it that L2 has none
};

/// How a row is answered.
struct Plan {
  /// Rows with equal keys, on one machine, have one answer and are run once.
  std::string key;
  bool whole_chip = false;  ///< it needs all SMs; else one, and nothing else runs
  std::function<Result<Reading>(measure::Runner&)> run;
  Footprint footprint = {};
  /// Why this does not measure on a real GPU what the row says; empty: it does.
  std::string_view not_on_gpus = {};
};

struct Family {
  std::string_view name;     ///< of --family
  std::string_view meaning;  ///< for people
  /// @return nothing if it is no row of this family
  std::optional<Plan> (*plan)(const Row& row);
};

/// All families. A row belongs to the first that has a plan for it.
std::span<const Family> families();

/// The family that a row belongs to, and its plan.
std::optional<std::pair<const Family*, Plan>> plan_of(const Row& row);

}  // namespace bankshot::accuracy
