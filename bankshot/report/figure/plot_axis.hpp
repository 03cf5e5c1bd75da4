// From values to places on an axis.
#pragma once

#include <vector>

namespace bankshot::report {

/// An axis from `low` to `high`, both included.
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;
  bool log2 = false;

  /// 0 at the low end, 1 at the high end.
  double at(double value) const;
};

/// With about `count` ticks at round numbers, the first and the last of them at or beyond the values; from zero on, as
/// lengths mislead otherwise.
Axis linear_axis(double least, double most, unsigned count);
/// From the least to the most of some values, with ticks at round numbers between.
Axis tight_axis(double least, double most, unsigned count);
/// With ticks at powers of two, of which there are at most `count`. Values must be positive.
Axis log2_axis(double least, double most, unsigned count);

}  // namespace bankshot::report
