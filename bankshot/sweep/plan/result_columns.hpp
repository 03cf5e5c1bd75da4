// The columns that the view of a sweep has besides those of its settings: the one place that lists them. The schema of
// the store has the same names.
#pragma once

#include <array>
#include <string_view>

namespace bankshot::sweep {

struct ResultColumn {
  std::string_view name;
  bool is_measure = false;  ///< a number that answers are made of
  bool of_kernels = false;  ///< a sum over the kernels that count
};

inline constexpr std::array<ResultColumn, 16> kResultColumns{{
    {"row"},
    {"point"},
    {"kernel"},
    {"status"},
    {"cycles", true, true},
    {"cycles_error", true, true},
    {"microseconds", true, true},
    {"warp_instructions", true, true},
    {"thread_instructions", true, true},
    {"accesses", true, true},
    {"wavefronts", true, true},
    {"conflicts", true, true},
    {"host_seconds", true},
    {"host_bytes", true},
    {"failure"},
    {"finished"},
}};

}  // namespace bankshot::sweep
