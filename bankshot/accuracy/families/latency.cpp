// Latency of loads: one warp chases pointers through a buffer. What gpu-benches' gpu-latency and its relatives do: each
// element holds the address of the next, all lanes follow the same chain.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <unordered_map>
#include <vector>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"
#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

struct Chase {
  uint64_t bytes = 0;
  uint32_t step = 64;    ///< bytes from element to element. gpu-latency: 64
  bool random = true;    ///< order of the elements; else one after the other
  std::string_view how;  ///< "ca", "cg" …: of ld.global
};

constexpr uint32_t kUnrolled = 32, kTimed = 2048;
/// Elements visited before the clock is read, if the buffer has more: their lines exceed every L1.
constexpr uint32_t kWarmUp = 8192;

/// The first `count` of the numbers below `size` in random order, always the same.
std::vector<uint64_t> random_order(uint64_t size, uint64_t count) {
  std::mt19937_64 random(1);
  std::unordered_map<uint64_t, uint64_t> moved;  // Fisher and Yates, without the list
  const auto at = [&](uint64_t k) {
    const auto found = moved.find(k);
    return found == moved.end() ? k : found->second;
  };
  std::vector<uint64_t> order;
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t other = k + random() % (size - k);
    order.push_back(at(other));
    moved[other] = at(k);
  }
  return order;
}

Kernel kernel_of(const Chase& chase) {
  const std::string load = fmt::format("  ld.global.{}.u64 %d0, [%d0];\n", chase.how);
  Kernel kernel;
  kernel.setup = "  mov.u64 %d0, %data;\n" + loop(unrolled(load, kUnrolled), "%a", "warm");
  kernel.timed = "  cvt.u64.u32 %u, %zero;\n  add.u64 %d0, %d0, %u;\n";
  kernel.timed += loop(unrolled(load, kUnrolled)) + wait_for("%d0", 64);
  return kernel;
}

/// Leaves a buffer in L2 that fits into it, and nothing of a larger one: only some of its elements are visited, and the
/// copies that made them went through L2.
std::optional<Error> fill_l2(measure::Runner& runner, uint64_t address, uint64_t bytes, uint64_t l2) {
  if (bytes <= l2) return sweep(runner, address, bytes, 4);
  const uint64_t others = l2 + l2 / 4;
  const Result<uint64_t> place = runner.allocate(others);
  if (!place) return place.error();
  const measure::Buffer buffer(runner, *place);
  return sweep(runner, buffer.address(), others, 4);
}

Result<Reading> measure_chase(measure::Runner& runner, const Chase& chase) {
  const Result<uint64_t> l2 = fact(runner.device(), "memory.l2_bytes");
  if (!l2) return l2.error();
  const uint64_t elements = std::max<uint64_t>(1, chase.bytes / chase.step);
  const uint64_t visited = std::min<uint64_t>(elements, kWarmUp + kTimed);
  const Result<uint64_t> address = runner.allocate(elements * chase.step + 16);
  if (!address) return address.error();
  const measure::Buffer buffer(runner, *address);
  std::vector<uint64_t> order;
  if (chase.random) {
    order = random_order(elements, visited);
  } else {
    for (uint64_t k = 0; k < visited; ++k) order.push_back(k);
  }
  for (uint64_t k = 0; k < visited; ++k) {
    const uint64_t next = buffer.address() + order[(k + 1) % visited] * chase.step;
    const auto error = runner.copy_in(buffer.address() + order[k] * chase.step, std::as_bytes(std::span(&next, 1)));
    if (error) return *error;
  }
  if (const auto error = fill_l2(runner, buffer.address(), elements * chase.step, *l2)) return *error;
  const uint64_t warm_up = visited == elements ? 2 * elements : kWarmUp;
  Arguments arguments;
  arguments.data = buffer.address() + order[0] * chase.step;
  arguments.count = kTimed / kUnrolled;
  arguments.a = static_cast<uint32_t>((warm_up + kUnrolled - 1) / kUnrolled);
  const Result<double> cycles = run(runner, kernel_of(chase), {}, arguments);
  if (!cycles) return cycles.error();
  return Reading{*cycles / kTimed, Dimension::cycles};
}

Plan plan_for(const Chase& chase) {
  return {fmt::format("chase {} {} {} {}", chase.bytes, chase.step, chase.random, chase.how),
          false,
          [chase](measure::Runner& runner) { return measure_chase(runner, chase); },
          {.bytes = chase.bytes, .past_l1 = chase.how == "cg"}};
}

constexpr uint64_t kKilo = 1024;

/// Rows of tu102's table. Source: its column of remarks, which the source of a row quotes.
std::optional<Chase> of_tu102(const Row& row) {
  const std::string& quantity = row.quantity;
  const std::string& condition = row.condition;
  if (quantity.starts_with("mem.l1.lat ")) return Chase{16 * kKilo, 64, true, "ca"};
  if (quantity.starts_with("mem.tex.lat ")) return Chase{16 * kKilo, 64, true, "nc"};
  if (quantity.starts_with("mem.pchase.lat ") || quantity.starts_with("mem.l2.lat ") ||
      quantity.starts_with("mem.dram.lat ")) {
    const auto kilobytes = number_after(condition, "fp");
    if (!kilobytes) return std::nullopt;
    return Chase{static_cast<uint64_t>(*kilobytes) * kKilo, 136, false, "ca"};
  }
  if (quantity.starts_with("mem.l1.line ")) {
    const auto stride = whole_number(condition, "stride");
    if (!stride || *stride < 8) return std::nullopt;
    return Chase{256 * kKilo, *stride, false, "ca"};
  }
  if (quantity.starts_with("mem.ldg.policy.lat ")) {
    const uint64_t bytes = condition.ends_with("_l1fit") ? 16 * kKilo : 2048 * kKilo;
    const std::string_view how = condition.starts_with("default") ? "ca"
                                 : condition.starts_with("ldcg")  ? "cg"
                                 : condition.starts_with("ldcs")  ? "cs"
                                 : condition.starts_with("ldlu")  ? "lu"
                                                                  : "";
    if (how.empty()) return std::nullopt;
    return Chase{bytes, 64, true, how};
  }
  return std::nullopt;
}

/// Rows that only name the level. @param condition  what the row says of it may name the size
std::optional<Chase> of_level(const Row& row) {
  const std::string& quantity = row.quantity;
  if (row.condition == "l1_lat") return Chase{32 * kKilo, 8, false, "ca"};  // Accel-Sim's: 4,096 elements, in order
  if (row.condition == "l2_lat") return Chase{32 * kKilo, 8, false, "cg"};
  if (quantity == "L1 latency" || quantity == "L1 hit latency") return Chase{8 * kKilo, 64, true, "ca"};
  if (quantity == "L2 latency" || quantity == "L2 hit latency") return Chase{4096 * kKilo, 64, true, "cg"};
  if (quantity == "DRAM latency") return Chase{256 * kKilo * kKilo, 64, true, "ca"};
  return std::nullopt;
}

}  // namespace

std::optional<Plan> plan_latency(const Row& row) {
  std::optional<Chase> chase;
  if (row.quantity.starts_with("pointer-chase latency, ")) {
    const auto kilobytes = number_after(row.condition, "buffer ");
    if (!kilobytes) return std::nullopt;
    const std::string_view how = row.quantity.ends_with("ld.cg") ? "cg" : "ca";
    chase = Chase{static_cast<uint64_t>(*kilobytes * kKilo), 64, true, how};
  } else {
    chase = of_level(row);
    if (!chase) chase = of_tu102(row);
  }
  if (!chase) return std::nullopt;
  return plan_for(*chase);
}

}  // namespace bankshot::accuracy
