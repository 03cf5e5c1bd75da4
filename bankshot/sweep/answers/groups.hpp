// Points put together: means by the values of axes, relative to a reference, with their uncertainty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/sweep/answers/table.hpp"

namespace bankshot::sweep {

enum class Mean : uint8_t { geometric, arithmetic };

/// The mean of a group's points.
struct Cell {
  double value = 0;
  /// 95 %, to both sides: by what the seeds differ in if there are several, else by the errors of sampling; none: the
  /// points are exact.
  std::optional<double> error;
  size_t points = 0;
};

struct Group {
  std::vector<uint32_t> codes;  ///< its value of each axis that groups
  Cell cell;
};

struct LeftOut {
  size_t alone = 0;       ///< points without a partner
  size_t not_finite = 0;  ///< a division by 0
};

/// Each result divided by that of the point that differs in this axis only, where it has this value. Points
/// are left out if there is no such partner, or no ratio.
/// @param inverse  the partner's result is divided by its own
/// @param keep_reference  points that have this value stay, with 1; else they are left out, so that means are those of
///                        the others
/// @return how many were left out, or why there is no such axis or value
Result<LeftOut> make_relative(Table& table, const Condition& reference, bool inverse, bool keep_reference);

/// Groups in the order of their codes.
/// @param axes  places of axes; points that differ in others are put together
std::vector<Group> group(const Table& table, const std::vector<size_t>& axes, Mean mean, size_t measure = 0);

/// Geometric for what is a ratio by nature and positive everywhere, else arithmetic.
Mean mean_for(const Table& table, bool is_relative, size_t measure = 0);

}  // namespace bankshot::sweep
