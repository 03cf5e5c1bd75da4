// The micro-benchmarks as PTX. Source: TPDS'13, section 2 (latency of one access of a warp, throughput of many).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bankshot::measure {

/// What a warp does to the words of its pattern.
enum class Access : uint8_t { load, store, add, add_unused, increment_unused, add_float };
constexpr unsigned kAccesses = 6;

struct AccessInfo {
  std::string_view name;     ///< in JSON
  std::string_view kernel;   ///< suffix of its kernels' names
  std::string_view meaning;  ///< for people
  bool has_result = true;    ///< no: one waits for a load behind it, which the banks serve in order
};
const AccessInfo& info(Access access);

/// Parameters of every kernel, in this order.
struct Arguments {
  uint64_t patterns = 0;  ///< word addresses, 32 a warp; kOff: the lane takes no part
  uint64_t times = 0;     ///< where results go, see the kernels
  uint32_t rounds = 0;
  uint32_t words = 0;    ///< all addresses are below; the word behind them is the kernel's own
  uint32_t value = 1;    ///< that is added; bits of a float for add_float
  uint32_t repeats = 0;  ///< throughput: times kUnrolled accesses in a round
};
static_assert(sizeof(Arguments) == 32);

/// Accesses in a turn of the throughput kernel's loop.
constexpr unsigned kUnrolled = 8;

/// latency_NAME: one warp, a round a pattern; writes 64 ticks, two for each lane: 32 of the sequence without the
/// access, then 32 with it. throughput_NAME: any number of warps, one pattern a warp, the same in every round; writes
/// two clocks for each thread, of begin and end.
std::string latency_kernel(Access access);
std::string throughput_kernel(Access access);

/// A module of all of them. For every GPU from Fermi on: what has been in PTX since then is all they need.
std::string programs();

}  // namespace bankshot::measure
