#include "bankshot/report/figure/plot_axis.hpp"

#include <algorithm>
#include <cmath>

namespace bankshot::report {
namespace {

/// 1, 2 or 5 times a power of ten, such that at most `count` of them span the range.
double round_step(double range, unsigned count) {
  const double rough = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double Axis::at(double value) const {
  if (high == low) return 0.5;
  return log2 ? std::log2(value / low) / std::log2(high / low) : (value - low) / (high - low);
}

Axis linear_axis(double least, double most, unsigned count) {
  least = std::min(least, 0.0);
  most = std::max(most, 0.0);
  if (least == most) most = 1;
  const double step = round_step(most - least, count);
  const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
  Axis axis{first * step, last * step, {}, false};
  for (double k = first; k <= last; ++k) axis.ticks.push_back(k * step);
  return axis;
}

Axis tight_axis(double least, double most, unsigned count) {
  Axis axis{least, most, {}, false};
  if (least == most) {
    axis.ticks = {least};
    return axis;
  }
  const double step = round_step(most - least, count);
  for (double k = std::ceil(least / step - 1e-9); k * step <= most + step * 1e-9; ++k) axis.ticks.push_back(k * step);
  return axis;
}

Axis log2_axis(double least, double most, unsigned count) {
  Axis axis{least, most, {}, true};
  const double first = std::ceil(std::log2(least) - 1e-9), last = std::floor(std::log2(most) + 1e-9);
  const double stride = std::max(1.0, std::ceil((last - first + 1) / count));
  for (double k = first; k <= last; k += stride) axis.ticks.push_back(std::exp2(k));
  return axis;
}

}  // namespace bankshot::report
