// The results of a sweep in memory: for each point its values on the axes, and measures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/sweep/plan/value.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::sweep {

/// A setting that points differ in.
struct TableAxis {
  std::string name;           ///< its column: "l1_bytes"
  std::vector<Value> values;  ///< numbers ascending, others in the order of the plan
};

struct Table {
  std::vector<TableAxis> axes;
  std::vector<std::string> measures;
  std::vector<uint32_t> codes;  ///< of all rows: for each axis which of its values
  std::vector<double> results;  ///< of all rows: for each measure its value; NaN if it has none
  std::vector<double> errors;   ///< of all rows: of the cycles, to both sides, 95 %; empty if none was sampled
  std::vector<uint64_t> rows;   ///< their numbers in the plan
  bool is_grid = true;          ///< the plan has all combinations of its axes
  size_t missing = 0;           ///< points without a result, which are not among the rows

  size_t size() const { return rows.size(); }
  uint32_t code(size_t row, size_t axis) const { return codes[row * axes.size() + axis]; }
  double result(size_t row, size_t measure = 0) const { return results[row * measures.size() + measure]; }
  /// The place of an axis, or none.
  std::optional<size_t> find(std::string_view axis) const;
};

/// A value that rows must have.
struct Condition {
  std::string axis, value;
};

/// What can be a measure besides the counters of the simulation, for help texts.
std::string measure_list();

/// Reads the points of a sweep that have a result.
/// @param measures  "cycles", "conflicts", "ipc", "seconds", …, any counter of the simulation
/// @param where     axes that the conditions leave with one value are no axes of the table
/// @return an error if there is no such measure, axis or value; what there is
Result<Table> read_table(Store& store, const SweepInfo& sweep, const std::vector<std::string>& measures,
                         const std::vector<Condition>& where);

}  // namespace bankshot::sweep
