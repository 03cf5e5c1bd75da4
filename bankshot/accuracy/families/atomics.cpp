// Atomics: chains through the returned value, by how many lanes share a word; and many at once.
#include <fmt/format.h>

#include <algorithm>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"
#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

struct Atomic {
  std::string_view operation = "add.u32";  ///< "add.u32", "cas.b32", "add.f32"
  bool global = false;
  uint32_t sharing = 1;  ///< lanes on each word
  uint32_t lanes = 32;   ///< that take part
  uint32_t apart = 4;    ///< bytes from word to word
  uint32_t warps = 0;    ///< throughput of so many, without use of the results; 0: latency of one warp's chain
  double counted = 1;    ///< throughput: what the row counts for an instruction
};

constexpr uint32_t kUnrolled = 16, kTurns = 4;

/// Each warp of a throughput has words of its own.
Result<Reading> measure_atomic(measure::Runner& runner, const Atomic& atomic) {
  const uint32_t words = 32 * std::max(1u, atomic.warps);
  const Result<uint64_t> address = runner.allocate(uint64_t{words} * atomic.apart);
  if (!address) return address.error();
  const measure::Buffer buffer(runner, *address);
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.setup = fmt::format("  div.u32 %x, %thread, {};\n  mul.lo.u32 %x, %x, {};\n  mov.u32 %r60, 0;\n",
                             atomic.sharing, atomic.apart);
  if (atomic.global) {
    kernel.setup += "  cvt.u64.u32 %u, %x;\n  add.u64 %u, %u, %data;\n  red.global.add.u32 [%u], %r60;\n";  // into L2
  } else {
    kernel.setup += "  mov.u32 %y, scratch;\n  add.u32 %x, %x, %y;\n  st.shared.u32 [%x], %r60;\n";
  }
  const char* space = atomic.global ? "global" : "shared";
  const char* place = atomic.global ? "%u" : "%x";
  const bool cas = atomic.operation.starts_with("cas");
  std::string one;
  if (atomic.warps == 0) {
    one = fmt::format("  atom.{}.{} %r0, [{}], %r0{};\n", space, atomic.operation, place, cas ? ", %r60" : "");
  } else if (cas) {
    one = fmt::format("  atom.{}.{} %r#, [{}], %r60, %r60;\n", space, atomic.operation, place);
  } else {
    one = fmt::format("  red.{}.{} [{}], %r61;\n", space, atomic.operation, place);
  }
  kernel.timed = "  or.b32 %r0, %zero, %r60;\n  or.b32 %r61, %zero, 1;\n" + loop(unrolled(one, kUnrolled, 8));
  if (atomic.warps == 0) {
    kernel.timed += wait_for("%r0");
  } else {  // until the last one is done
    kernel.timed += fmt::format("  ld.volatile.{}.u32 %r62, [{}];\n", space, place) + wait_for("%r62");
  }
  const uint32_t shared = atomic.global ? 0 : words * atomic.apart;
  Arguments arguments{buffer.address(), 0, kTurns, 0, 0, 0};
  const uint32_t threads = atomic.warps == 0 ? atomic.lanes : words;
  const Result<double> cycles = run(runner, kernel, {1, threads, shared}, arguments);
  if (!cycles) return cycles.error();
  constexpr double kDone = kUnrolled * kTurns;
  if (atomic.warps == 0) return Reading{*cycles / kDone, Dimension::cycles};
  return Reading{kDone * atomic.warps * atomic.counted / *cycles, Dimension::per_cycle};
}

/// "-" or "contentionN".
std::optional<uint32_t> sharing_of(const std::string& condition) {
  if (condition == "-") return 1;
  const auto lanes = whole_number(condition, "contention");
  return lanes && *lanes >= 1 && *lanes <= 32 ? lanes : std::nullopt;
}

std::optional<Atomic> of_tu102(const Row& row) {
  Atomic atomic;
  atomic.global = row.quantity.starts_with("atomics.global.");
  if (!atomic.global && !row.quantity.starts_with("atomics.shared.")) return std::nullopt;
  if (atomic.global) atomic.apart = 128;  // "distinct line per lane", of its throughput
  if (row.quantity.find(".add.lat ") != std::string::npos || row.quantity.find(".cas.lat ") != std::string::npos) {
    const auto sharing = sharing_of(row.condition);
    if (!sharing) return std::nullopt;
    atomic.sharing = *sharing;
    if (row.quantity.find(".cas.") != std::string::npos) atomic.operation = "cas.b32";
    return atomic;
  }
  const auto warps = whole_number(row.condition, "w");
  if (row.quantity.find(".add.tput ") == std::string::npos || !warps || *warps < 1 || *warps > 32) return std::nullopt;
  atomic.warps = *warps;
  return atomic;
}

std::optional<Atomic> of_others(const Row& row) {
  Atomic atomic;
  if (row.quantity == "global atomic add latency") {  // Accel-Sim's atomic_add_lat: one thread
    atomic.global = true;
    atomic.lanes = 1;
    return atomic;
  }
  if (row.quantity == "atom.shared.add.u32 latency" && row.condition.starts_with("relaxed")) return atomic;
  if (row.quantity == "atom.global.add.u32 latency" && row.condition.starts_with("relaxed")) {
    atomic.global = true;
    return atomic;
  }
  if (row.quantity == "shared atomicAdd f32 (CAS loop in SASS)") {
    const auto lanes = number_after(row.condition, "");
    if (!lanes || *lanes < 1 || *lanes > 32) return std::nullopt;
    atomic.operation = "add.f32";
    atomic.sharing = atomic.lanes = static_cast<uint32_t>(*lanes);
    return atomic;
  }
  if (row.quantity != "ATOMS rate") return std::nullopt;
  atomic.warps = 32;
  atomic.counted = 32;
  if (row.condition.starts_with("CAS")) atomic.operation = "cas.b32";
  if (row.condition.starts_with("8-way")) atomic.apart = 32;  // 4 banks for 32 lanes
  return atomic;
}

}  // namespace

std::optional<Plan> plan_atomics(const Row& row) {
  auto atomic = of_tu102(row);
  if (!atomic) atomic = of_others(row);
  if (!atomic) return std::nullopt;
  return Plan{fmt::format("atomic {} {} {} {} {} {} {}", atomic->operation, atomic->global, atomic->sharing,
                          atomic->lanes, atomic->apart, atomic->warps, atomic->counted),
              false, [atomic](measure::Runner& runner) { return measure_atomic(runner, *atomic); }};
}

}  // namespace bankshot::accuracy
