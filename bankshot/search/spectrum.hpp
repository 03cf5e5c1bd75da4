// The bound of the optimal search: how unevenly a row space must spread the words, by the Walsh-Hadamard transform.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::search {

/// With f_p(h) = sum over the words a of group p of (-1)^parity(h & a), the loads L of the banks of a row space V of
/// dimension m satisfy sum L^2 = 2^-m * sum over h in V of f_p(h)^2; and the fullest bank has at least (sum L^2) / k_p
/// words, with equality when the group is an affine subspace. So, with W(h) = sum over p of w_p * f_p(h)^2 / k_p,
///     excess >= 2^-m * sum over h in V of W(h)  -  sum of the w_p.
/// The values are kept as whole numbers, `scale` times W rounded down, so that the bound is exact arithmetic.
struct Spectrum {
  unsigned bits = 0;  ///< words are below 2^bits
  int64_t scale = 1;
  std::vector<int64_t> value;  ///< by h
  int64_t total_weight = 0;
};

/// @return nothing if the deadline came first
std::optional<Spectrum> spectrum(
    std::span<const scratchpad::Group> groups, unsigned bits,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

}  // namespace bankshot::search
