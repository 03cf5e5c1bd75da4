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
  bool of_machine = true;     ///< not of what it runs: program, arguments, seed, variable
};

struct Table {
  std::vector<TableAxis> axes;
  std::vector<std::string> measures;
  std::vector<uint32_t> codes;  ///< of all rows: for each axis which of its values
  std::vector<double> results;  ///< of all rows: for each measure its value; NaN: it has no such further measure
  std::vector<double> errors;   ///< of all rows: of the cycles, to both sides, 95 %; empty if none was sampled
  std::vector<uint64_t> rows;   ///< their numbers in the plan
  bool one_at_a_time = false;   ///< … or its points differ from the first of their program in one axis
  bool is_grid = true;          ///< the plan has all combinations of its axes
  bool clocks_differ = false;   ///< cycles of some points are longer than those of others
  size_t without_number = 0;    ///< points with a result that has no first measure: none of their kernels counts
  size_t missing = 0;           ///< points without a result, which are not among the rows

  size_t size() const { return rows.size(); }
  uint32_t code(size_t row, size_t axis) const { return codes[row * axes.size() + axis]; }
  double result(size_t row, size_t measure = 0) const { return results[row * measures.size() + measure]; }
  /// Whether a row says something of these axes: in a one-at-a-time design only rows that have the base of all others.
  /// @param bases  of base_rows()
  bool tells_of(size_t row, const std::vector<size_t>& axes, const std::vector<size_t>& bases) const;
  /// Of each row the base point of its program, its first; empty in other designs.
  std::vector<size_t> base_rows() const;
  /// The place of an axis, or none.
  std::optional<size_t> find(std::string_view axis) const;
};

/// A value that rows must have.
struct Condition {
  std::string axis, value;
};

/// Keeps the rows that have this value. @return an error if there is no such value
std::optional<Error> keep_only(Table& table, const Condition& condition);

/// What can be a measure besides the counters of the simulation, for help texts.
std::string measure_list();

/// Reads the points of a sweep that have a result.
/// @param measures  "cycles", "conflicts", "ipc", "seconds", …, any counter of the simulation
/// @param where     an axis left with one value is not in the table
/// @return an error if there is no such measure, axis or value; it lists what there is
Result<Table> read_table(Store& store, const SweepInfo& sweep, const std::vector<std::string>& measures,
                         const std::vector<Condition>& where);

}  // namespace bankshot::sweep
