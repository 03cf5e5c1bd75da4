// Kernels of the benchmarks: PTX text around what is timed, and their launch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bankshot/measure/runner.hpp"

namespace bankshot::accuracy {

/// What a kernel is made of. Each part is PTX statements; they may use the registers
///   %p<8> (.pred), %h<16> (.b16), %r<128>, %x, %y and %zero (.b32), %d<64> and %u, %v (.b64) for whatever they like,
/// and, with their values, %thread, %threads, %block, %blocks, %lane, %warp, %count, %a, %b, %c (.b32), %data (.b64:
/// address) and `scratch` (dynamic shared memory).
/// %zero is 0 in a way that nobody can know before the clock is read: what is timed should start with it.
struct Kernel {
  unsigned target = 70;  ///< least architecture: sm_70
  std::string setup;     ///< before the clock is read
  std::string timed;     ///< between its readings; ends with wait_for() of what must have happened
  std::string tail;      ///< after them
  bool clocked = true;   ///< false: nothing is read nor written, the time is that of the launch
  /// All after the setup runs twice, and the second time counts: a GPU fetches code that it runs for the first time
  /// from memory.
  bool warmed_up = false;
};

/// Their parameters, in this order.
struct Arguments {
  uint64_t data = 0, out = 0;
  uint32_t count = 0, a = 0, b = 0, c = 0;
};
static_assert(sizeof(Arguments) == 32);

struct Grid {
  uint32_t blocks = 1, threads = 32, shared_bytes = 0;
};

/// A module with the kernel, named `bench`.
std::string text_of(const Kernel& kernel);

/// Statements done `times` times in a row, '#' in them replaced by the turn's number modulo `modulo`.
std::string unrolled(std::string_view statements, unsigned times, unsigned modulo = 1);
/// A loop of `count` turns, at least one. Labels of several loops need names of their own. @param count  a .b32 operand
std::string loop(std::string_view statements, std::string_view count = "%count", std::string_view name = "again");
/// The first statement of a loop whose turns no compiler may put together.
constexpr std::string_view kNoUnroll = "  .pragma \"nounroll\";\n";
/// Load number k of several: of `words` 32-bit words (1, 2 or 4) into %r(words * k) and what follows it.
/// @param space  "global.ca", "volatile.shared" …
std::string load(std::string_view space, unsigned words, unsigned k, std::string_view address);
/// Uses all words that load number k has read, so that no compiler leaves it out nor reads less; wait_for_used() waits
/// for all that was used.
std::string use(unsigned words, unsigned k);
std::string wait_for_used();
/// Waits until a register is written. @param bits  32 or 64
std::string wait_for(std::string_view name, unsigned bits = 32);

/// Loads and runs it. @return cycles of an SM: from the first warp's first reading of the clock until the last one's
/// last; of a kernel that is not `clocked` the time of the launch in nanoseconds
Result<double> run(measure::Runner& runner, const Kernel& kernel, const Grid& grid, Arguments arguments);

/// Reads memory once, with so many blocks, so that L2 has as much of it as it keeps. @param bytes  a multiple of 16
std::optional<Error> sweep(measure::Runner& runner, uint64_t address, uint64_t bytes, uint32_t blocks);

/// An integer that the device tells of itself. @param key  of a description: "gpu.sms". An error if it does not
Result<uint64_t> fact(const measure::Device& device, const std::string& key);

/// Architecture of the device: 75 for compute capability 7.5.
unsigned architecture(const measure::Device& device);

}  // namespace bankshot::accuracy
