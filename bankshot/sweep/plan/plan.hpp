// The plan of a sweep: which programs run on which machines.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/sweep/plan/value.hpp"

namespace bankshot::sweep {

struct Program {
  std::string name;                    ///< the value of the setting `program`
  std::string run;                     ///< as the plan has it: a path, or a name to look for
  std::vector<std::string> arguments;  ///< unless the setting `arguments` is there
  std::string kernel;                  ///< contained in the names of kernels that count; empty: all count
  std::vector<std::string> inputs;     ///< files that it reads, besides those among its arguments
  std::vector<std::string> outputs;    ///< files among its arguments that it writes, so that they decide nothing
  std::map<std::string, std::string> environment;
  std::map<std::string, Value> let;  ///< {NAME} in texts
  Position position;                 ///< of `run`
};

/// A setting, its values, and where the plan has them.
struct Column {
  std::string name;
  std::vector<Value> values;
  std::vector<Position> positions;
};

struct Plan {
  std::string file;         ///< as given
  std::string text;         ///< of the file
  std::string folder;       ///< absolute: programs run there, and relative paths begin there
  std::string name, title;  ///< the name is that of the sweep in a store
  bool simulates = true;    ///< else conflicts are counted, without cycles
  std::vector<Program> programs;
  std::vector<Column> columns;  ///< `program` and `gpu` first
  std::vector<uint32_t> cells;  ///< of all points: for each column which of its values
  bool one_at_a_time = false;   ///< points differ from a base point in one axis; the first of each program is the base
  bool is_grid = true;          ///< all combinations of the axes, but for what is excluded

  size_t points() const { return columns.empty() ? 0 : cells.size() / columns.size(); }
  std::span<const uint32_t> point(size_t index) const {
    return {cells.data() + index * columns.size(), columns.size()};
  }
  const Value& value(size_t index, size_t column) const { return columns[column].values[point(index)[column]]; }
  const Program& program(size_t index) const;
  /// The place of a column, or columns.size().
  size_t find(std::string_view column) const;
};

/// The most points that a plan may have.
inline constexpr uint64_t kMostPoints = 20'000'000;

/// Reads a plan. Everything that is wrong with it is told, with file, line and column.
Result<Plan> parse_plan(std::string_view toml, const std::string& file);
/// The same from a file.
Result<Plan> load_plan(const std::string& file);

}  // namespace bankshot::sweep
