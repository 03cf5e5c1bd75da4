#include "bankshot/measure/fit.hpp"

#include <algorithm>
#include <cmath>

namespace bankshot::measure {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Line fit_line(std::span<const double> points) {
  Line line;
  line.points = static_cast<unsigned>(points.size());
  if (points.empty()) return line;
  std::vector<double> slopes;
  for (size_t a = 0; a < points.size(); ++a) {
    for (size_t b = a + 1; b < points.size(); ++b)
      slopes.push_back((points[b] - points[a]) / static_cast<double>(b - a));
  }
  line.first = points[0];
  line.step = median(std::move(slopes));
  for (size_t k = 0; k < points.size(); ++k) {
    const double fitted = line.first + line.step * static_cast<double>(k);
    line.residual = std::max(line.residual, std::abs(points[k] - fitted));
  }
  return line;
}

}  // namespace bankshot::measure
