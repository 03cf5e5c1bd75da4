// Loads of shared memory: latency by the degree of conflicts, and the time of many by the pattern of a block.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"
#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

// --- Latency: each lane follows a chain whose every element holds its own offset. ---

struct Chain {
  uint32_t stride = 0;       ///< words from lane to lane
  uint32_t lanes = 32;       ///< those at lane * stride; the others at the word of their own number
  unsigned width = 4;        ///< bytes of a load; the address is the first word of it
  unsigned independent = 1;  ///< chains of one warp
  bool indexed = false;      ///< elements hold indices: a shift and an addition make the address
};

constexpr uint32_t kUnrolled = 64, kTurns = 16;

Result<Reading> measure_chain(measure::Runner& runner, const Chain& chain) {
  Kernel kernel;
  // An element holds its own address or index.
  kernel.setup = fmt::format(
      "  mul.lo.u32 %x, %lane, %a;\n  setp.lt.u32 %p0, %lane, %b;\n  @!%p0 mov.u32 %x, %lane;\n  mov.u32 %r1, %x;\n"
      "  mul.lo.u32 %x, %x, {};\n  mov.u32 %y, scratch;\n  add.u32 %x, %x, %y;\n",
      chain.width);
  if (!chain.indexed) kernel.setup += "  mov.u32 %r1, %x;\n";
  kernel.setup += "  st.shared.u32 [%x], %r1;\n  mov.u32 %x, %r1;\n";
  std::string loads;
  for (unsigned k = 0; k < chain.independent; ++k) {
    const unsigned words = chain.width / 4;
    const std::string address = fmt::format("%r{}", words * k);
    kernel.timed += fmt::format("  add.u32 {}, %x, %zero;\n", address);
    if (chain.indexed) loads += fmt::format("  shl.b32 {0}, {0}, 2;\n  add.u32 {0}, {0}, %y;\n", address);
    loads += load("shared", words, k, address);
  }
  kernel.timed += loop(unrolled(loads, kUnrolled)) + wait_for("%r0");
  Arguments arguments{0, 0, kTurns, chain.stride, chain.lanes, 0};
  const uint32_t bytes = (31 * std::max(1u, chain.stride) + 1) * chain.width;
  const Result<double> cycles = run(runner, kernel, {1, 32, bytes}, arguments);
  if (!cycles) return cycles.error();
  return Reading{*cycles / (kUnrolled * kTurns * chain.independent), Dimension::cycles};
}

std::optional<Chain> chain_of(const Row& row) {
  if (row.quantity.starts_with("mem.smem.lat ")) {
    if (row.condition == "broadcast") return Chain{};
    // Of lanes in conflict each has a word of its own in one bank, the others banks of their own.
    const auto degree = whole_number(row.condition, "conflict");
    if (degree && *degree >= 1 && *degree <= 32) return Chain{*degree == 1 ? 1 : 32u, *degree};
    return std::nullopt;
  }
  if (row.quantity == "shared load latency") {
    Chain chain;
    chain.indexed = row.condition == "shared_lat";  // Accel-Sim's
    return chain;
  }
  if (row.quantity == "shared cycles per load") {
    const auto independent = whole_number(row.condition, "ILP ");
    if (independent && *independent >= 1 && *independent <= 8) return Chain{1, 32, 4, *independent};
  }
  if (row.quantity == "RAW/WAW latency") {
    const auto bits = number_after(row.condition, "Load Shared ");
    if (bits && row.condition.ends_with("address register Regular"))
      return Chain{1, 32, static_cast<unsigned>(*bits) / 8};
  }
  return std::nullopt;
}

// --- Patterns of a block. Source: gpu_shm_microbench; its names of patterns are in the conditions. ---

/// One of "tx", "tx/N", "(tx%N) * 32 + tx/N".
struct Pattern {
  uint32_t modulo = 0;  ///< 0: none
  uint32_t divisor = 1;
  unsigned width = 4;  ///< bytes of an element
};

std::optional<Pattern> pattern_of(const std::string& condition) {
  Pattern pattern;
  pattern.width = condition.starts_with("float(b32) ")     ? 4
                  : condition.starts_with("float2(b64) ")  ? 8
                  : condition.starts_with("float4(b128) ") ? 16
                                                           : 0;
  const size_t at = condition.find(" index ");
  if (pattern.width == 0 || at == condition.npos) return std::nullopt;
  const std::string index = condition.substr(at + 7);
  if (index == "tx") return pattern;
  if (const auto divisor = whole_number(index, "tx/"); divisor && *divisor != 0) {
    pattern.divisor = *divisor;
    return pattern;
  }
  const auto modulo = number_after(index, "(tx%");
  if (!modulo || *modulo < 1 || *modulo > 32) return std::nullopt;
  pattern.modulo = pattern.divisor = static_cast<uint32_t>(*modulo);
  if (index != fmt::format("(tx%{0}) * 32 + tx/{0}", pattern.modulo)) return std::nullopt;
  return pattern;
}

/// Threads of the block, and those after which a pattern repeats.
constexpr uint32_t kThreads = 1024, kPeriod = 128, kBlockUnrolled = 8, kBlockTurns = 48;

/// Cycles of a warp access when all warps of a block make it, which has as many as a block may. Each load of a turn has
/// registers of its own, used in the end, and an address of its own as far as a compiler can tell (%c is 0): none is
/// left out or waits.
Result<double> time_of(measure::Runner& runner, const Pattern& pattern) {
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.setup = fmt::format("  and.b32 %r0, %thread, {};\n  div.u32 %x, %r0, %b;\n", kPeriod - 1);
  if (pattern.modulo != 0) kernel.setup += "  rem.u32 %y, %r0, %a;\n  mad.lo.u32 %x, %y, 32, %x;\n";
  kernel.setup +=
      fmt::format("  mul.lo.u32 %x, %x, {};\n  mov.u32 %y, scratch;\n  add.u32 %x, %x, %y;\n", pattern.width);
  std::string loads(kNoUnroll);
  for (unsigned k = 0; k < kBlockUnrolled; ++k) {
    kernel.setup += fmt::format("  mad.lo.u32 %r{0}, %c, {1}, %x;\n", 64 + k, k);
    loads += load("volatile.shared", pattern.width / 4, k, fmt::format("%r{}", 64 + k));
    kernel.tail += use(pattern.width / 4, k);
  }
  kernel.timed = loop(loads) + wait_for("%r0");
  kernel.tail += wait_for_used();
  Arguments arguments{0, 0, kBlockTurns, pattern.modulo, pattern.divisor, 0};
  const uint32_t elements =
      pattern.modulo == 0 ? kPeriod / pattern.divisor : (pattern.modulo - 1) * 32 + kPeriod / pattern.divisor;
  const uint32_t bytes = std::max(1u, elements) * pattern.width;
  const Result<double> cycles = run(runner, kernel, {1, kThreads, bytes}, arguments);
  if (!cycles) return cycles.error();
  return *cycles / (kThreads / 32 * kBlockUnrolled * kBlockTurns);
}

Result<Reading> measure_ratio(measure::Runner& runner, const Pattern& pattern) {
  const Result<double> broadcast = time_of(runner, {0, 32, 4});
  if (!broadcast) return broadcast.error();
  const Result<double> cycles = time_of(runner, pattern);
  if (!cycles) return cycles.error();
  return Reading{*cycles / *broadcast, Dimension::ratio};
}

}  // namespace

std::optional<Plan> plan_shared(const Row& row) {
  if (const auto chain = chain_of(row)) {
    return Plan{fmt::format("shared chain {} {} {} {} {}", chain->stride, chain->lanes, chain->width,
                            chain->independent, chain->indexed),
                false, [chain](measure::Runner& runner) { return measure_chain(runner, *chain); }};
  }
  if (!row.quantity.starts_with("shared load time relative to b32 broadcast")) return std::nullopt;
  const auto pattern = pattern_of(row.condition);
  if (!pattern) return std::nullopt;
  return Plan{fmt::format("shared pattern {} {} {}", pattern->modulo, pattern->divisor, pattern->width), false,
              [pattern](measure::Runner& runner) { return measure_ratio(runner, *pattern); }};
}

}  // namespace bankshot::accuracy
