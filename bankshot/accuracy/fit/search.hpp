// Finding the whole number at which a monotone function is nearest to zero, with few calls.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace bankshot::accuracy {

/// Where to look. `start` lies between the others.
struct SearchRange {
  uint64_t start = 0, least = 0, most = 0;
};

struct SearchResult {
  uint64_t value = 0;
  double error = 0;    ///< at `value`
  unsigned calls = 0;  ///< of the function, at most kMostCalls
};

inline constexpr unsigned kMostCalls = 8;

/// Looks outwards from `start`, in steps that the errors suggest, until the sign changes; then between the two values
/// around the change. Of values with equally small errors it takes the one nearest to `start`: it stays on a plateau.
/// @param error_of  does not fall where its argument rises (the caller turns it round if it would); about the logarithm
///                  of how many times too large the outcome is, which the first step takes for the factor by which the
///                  value is too large. Nothing: a value that cannot be; then nothing beyond it, as seen from `start`,
///                  can be either
/// @return nothing if `start` itself cannot be
std::optional<SearchResult> search(const SearchRange& range,
                                   const std::function<std::optional<double>(uint64_t)>& error_of);

}  // namespace bankshot::accuracy
