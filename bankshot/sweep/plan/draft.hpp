// A plan as its file has it, before its points are made.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/sweep/plan/plan.hpp"

namespace bankshot::sweep {

struct Located {
  Value value;
  Position position;
};

/// Settings with their values, in the order of the file.
using Assignments = std::vector<std::pair<std::string, Located>>;

/// One setting, or several that change together (a zip). `rows[k][n]` is the k-th value of `names[n]`.
struct Axis {
  std::vector<std::string> names;
  std::vector<std::vector<Located>> rows;
  Position position;
};

/// Points for which every named setting has one of the values.
struct Exclusion {
  std::vector<std::pair<std::string, std::vector<Located>>> conditions;
  Position position;
};

struct Design {
  enum class Kind : uint8_t { grid, one_at_a_time, latin_hypercube };
  Kind kind = Kind::grid;
  uint64_t points = 0;  ///< of a Latin hypercube
  uint64_t seed = 1;
  Position position;
};

struct Draft {
  std::string name, title;
  bool simulates = true;
  std::vector<Program> programs;
  Assignments base;
  std::vector<Axis> axes;  ///< in the order of the file
  std::vector<Exclusion> exclusions;
  std::vector<Assignments> points;
  std::vector<Position> point_positions;
  Design design;
};

/// Reads the TOML; complains of all that is wrong with single entries.
Draft read_draft(std::string_view toml, Diagnostics& problems);

/// Makes the columns and points; complains of what is wrong between entries.
void expand(const Draft& draft, Plan& plan, Diagnostics& problems);

}  // namespace bankshot::sweep
