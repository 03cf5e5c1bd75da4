// The points that no other point beats.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace bankshot::sweep {

/// Places of the points of which no other is at least as good in both and better in one; in both less is better. In
/// order of the first number. Of equal points all are there.
std::vector<size_t> pareto_front(std::span<const std::pair<double, double>> points);

}  // namespace bankshot::sweep
