// Bandwidth of shared memory and of L1, one SM full of warps that load without conflicts.
#include <fmt/format.h>

#include <algorithm>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"
#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

struct Stream {
  bool global = false;  ///< L1 hits; else shared memory
  uint32_t warps = 32;
  unsigned width = 4;  ///< bytes of a lane's load
};

constexpr uint32_t kUnrolled = 8, kTurns = 32;
/// Bytes that the block reads: of a shared array, or of a buffer that every L1 holds.
constexpr uint32_t kBytes = 16384;

/// A warp's turn reads kUnrolled rows of 32 elements, one behind the other, and goes on there in the next, all around
/// kBytes. So do Accel-Sim's l1_bw kernels.
Result<Reading> measure_stream(measure::Runner& runner, const Stream& stream) {
  const Result<uint64_t> address = runner.allocate(2 * kBytes);
  if (!address) return address.error();
  const measure::Buffer buffer(runner, *address);
  const uint32_t row = 32 * stream.width;
  std::string loads, uses;
  for (uint32_t k = 0; k < kUnrolled; ++k) {
    const std::string from = fmt::format("{}+{}", stream.global ? "%u" : "%r60", k * row);
    loads += load(stream.global ? "global.ca" : "volatile.shared", stream.width / 4, k, from);
    uses += use(stream.width / 4, k);
  }
  Kernel kernel;
  kernel.warmed_up = true;
  if (stream.global) {  // fills L1
    kernel.setup =
        "  mul.lo.u32 %x, %thread, 4;\n  mul.lo.u32 %r63, %threads, 4;\nfill:\n  cvt.u64.u32 %u, %x;\n"
        "  add.u64 %u, %u, %data;\n  ld.global.ca.u32 %r0, [%u];\n  add.u32 %x, %x, %r63;\n" +
        fmt::format("  setp.lt.u32 %p0, %x, {};\n  @%p0 bra fill;\n", 2 * kBytes) + wait_for("%r0");
  }
  kernel.setup += fmt::format("  mov.u32 %y, scratch;\n  mul.lo.u32 %x, %warp, {};\n", row);
  kernel.setup += fmt::format("  and.b32 %x, %x, {};\n  mad.lo.u32 %x, %lane, {}, %x;\n", kBytes - 1, stream.width);
  // One addition, one mask and one addition of the start a turn; the loads take kUnrolled.
  std::string place = fmt::format("  add.u32 %x, %x, {};\n  and.b32 %x, %x, {};\n", kUnrolled * row, kBytes - 1);
  place += stream.global ? "  cvt.u64.u32 %u, %x;\n  add.u64 %u, %u, %data;\n" : "  add.u32 %r60, %x, %y;\n";
  kernel.timed = "  add.u32 %x, %x, %zero;\n" + loop(place + loads + uses) + wait_for_used();
  const uint32_t shared = stream.global ? 0 : 2 * kBytes;
  Arguments arguments{buffer.address(), 0, kTurns, 0, 0, 0};
  const Result<double> cycles = run(runner, kernel, {1, 32 * stream.warps, shared}, arguments);
  if (!cycles) return cycles.error();
  return Reading{double{kTurns} * kUnrolled * stream.warps * row / *cycles, Dimension::per_cycle};
}

/// "w8_f32" of tu102's table: warps and type.
std::optional<Stream> of_tu102(const Row& row) {
  Stream stream;
  stream.global = row.quantity.starts_with("mem.l1.bw ");
  if (!stream.global && !row.quantity.starts_with("mem.smem.bw ")) return std::nullopt;
  const size_t bar = row.condition.find('_');
  const auto warps = whole_number(row.condition.substr(0, bar), "w");
  const auto bits = bar == row.condition.npos ? std::nullopt : whole_number(row.condition.substr(bar), "_f");
  if (!warps || !bits || *warps < 1 || *warps > 32) return std::nullopt;
  if (*bits != 32 && *bits != 64 && *bits != 128) return std::nullopt;
  stream.warps = *warps;
  stream.width = *bits / 8;
  return stream;
}

std::optional<Stream> stream_of(const Row& row) {
  if (row.quantity == "L1 bandwidth") {
    if (row.condition.starts_with("l1_bw_128")) return Stream{true, 32, 16};
    if (row.condition == "l1_bw_64f") return Stream{true, 32, 8};
    if (row.condition == "l1_bw_32f") return Stream{true, 32, 4};
  }
  if (row.quantity == "shared bandwidth") {
    if (row.condition.starts_with("32-bit")) return Stream{false, 32, 4};
    if (row.condition.starts_with("64-bit")) return Stream{false, 32, 8};
  }
  return of_tu102(row);
}

}  // namespace

std::optional<Plan> plan_sm_bandwidth(const Row& row) {
  const auto stream = stream_of(row);
  if (!stream) return std::nullopt;
  return Plan{fmt::format("stream {} {} {}", stream->global, stream->warps, stream->width), false,
              [stream](measure::Runner& runner) { return measure_stream(runner, *stream); }};
}

}  // namespace bankshot::accuracy
