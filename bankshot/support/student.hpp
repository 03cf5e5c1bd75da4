// Student's t, for confidence intervals of means.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace bankshot {

/// 97.5 % of Student's t by degrees of freedom, at least 1: a mean lies within so many standard errors in 95 % of all
/// samples. Of more than 9 the value of 9, which is on the safe side.
inline double student_t(size_t freedom) {
  constexpr std::array<double, 10> kTable = {0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  return kTable[std::min(freedom, kTable.size() - 1)];
}

}  // namespace bankshot
