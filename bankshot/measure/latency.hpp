// Time of accesses to shared memory, taken on a runner.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/measure/programs.hpp"
#include "bankshot/measure/runner.hpp"

namespace bankshot::measure {

inline constexpr uint32_t kLanes = 32;
/// Word addresses of the lanes of a warp.
using Pattern = std::array<uint32_t, kLanes>;
/// The lane takes no part.
inline constexpr uint32_t kOff = 0xffffffff;

/// Lane i at i * stride if i < conflicts, else at i. Stride 0: position conflicts; a multiple of the banks: bank
/// conflicts. Source: ICCD'13, equation 1.
Pattern conflict_pattern(uint32_t stride, uint32_t conflicts);

/// What one pattern took, time and again.
struct Samples {
  std::vector<double> of;  ///< in the order of time
  double median() const;   ///< of an even number the mean of the middle two
  double spread() const;   ///< between the first and the third quartile: of half the samples
};

/// Words that patterns may use on a device: one less than a block has.
uint32_t usable_words(const Device& device);

/// Ticks of %clock from the issue of one access of a warp until what depends on it can issue: the difference of a
/// sequence with the access and the same without, read off the slowest lane. Of an access without a result: until a
/// load behind it has its data, less what that load takes alone. The runner must have loaded programs(). All patterns
/// are gone through once to warm up, then `samples` times.
/// @return one for each pattern; an error too if an address is beyond the device's usable_words
Result<std::vector<Samples>> latencies(Runner& runner, Access access, std::span<const Pattern> patterns,
                                       unsigned samples);

/// Ticks that a warp access takes when `warps` of one block make `repeats` of them each at once, each its own pattern:
/// the time of all, by their number.
/// @param repeats  a multiple of kUnrolled. No lane may be off
Result<Samples> throughput(Runner& runner, Access access, std::span<const Pattern> warps, unsigned repeats,
                           unsigned samples);

}  // namespace bankshot::measure
