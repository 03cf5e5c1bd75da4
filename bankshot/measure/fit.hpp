// Straight lines through measured points.
#pragma once

#include <span>
#include <vector>

namespace bankshot::measure {

double median(std::vector<double> values);  ///< 0 of none; of an even number the mean of the middle two

/// first + step * (degree - 1)
struct Line {
  double first = 0;  ///< the point of degree 1
  double step = 0;   ///< the median of the slopes between all pairs of points: outliers do not move it (Theil and Sen)
  double residual = 0;  ///< what the point farthest from the line misses it by
  unsigned points = 0;
};

/// @param points  by degree, from 1 on. One point makes a line without a step
Line fit_line(std::span<const double> points);

}  // namespace bankshot::measure
