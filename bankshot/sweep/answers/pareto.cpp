#include "bankshot/sweep/answers/pareto.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace bankshot::sweep {

std::vector<size_t> pareto_front(std::span<const std::pair<double, double>> points) {
  std::vector<size_t> order(points.size()), front;
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t k) { return points[k]; });
  double least = std::numeric_limits<double>::infinity();
  for (const size_t k : order) {
    const bool is_equal = !front.empty() && points[front.back()] == points[k];
    if (points[k].second >= least && !is_equal) continue;
    least = points[k].second;
    front.push_back(k);
  }
  return front;
}

}  // namespace bankshot::sweep
