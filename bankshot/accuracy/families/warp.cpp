// Votes, and matrices loaded from shared memory. Shuffles are operations like others: instructions.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"

namespace bankshot::accuracy {
namespace {

constexpr uint32_t kUnrolled = 16, kTurns = 8;

Result<double> cycles_of(measure::Runner& runner, const Kernel& kernel, uint32_t warps, uint32_t shared) {
  return run(runner, kernel, {1, 32 * warps, shared}, {0, 0, kTurns, 0, 0, 0});
}

/// A chain: the ballot, shifted by the lane, decides the next predicate. %a is 0, which no compiler knows: else it
/// would see that the predicate stays as it is.
Result<Reading> measure_vote_latency(measure::Runner& runner) {
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.setup = "  add.u32 %x, %lane, %a;\n";
  kernel.timed = "  setp.eq.u32 %p0, %zero, 0;\n";
  kernel.timed +=
      loop(unrolled("  vote.sync.ballot.b32 %r0, %p0, 0xffffffff;\n  shr.u32 %r1, %r0, %x;\n"
                    "  and.b32 %r1, %r1, 1;\n  setp.ne.u32 %p0, %r1, 0;\n",
                    kUnrolled));
  kernel.timed += wait_for("%r0");
  const Result<double> cycles = cycles_of(runner, kernel, 1, 0);
  if (!cycles) return cycles.error();
  return Reading{*cycles / (kUnrolled * kTurns), Dimension::cycles};
}

/// Four independent chains: whether a ballot is 0 decides the chain's next predicate. Each compares with a zero of its
/// own that no compiler knows.
Result<Reading> measure_vote_rate(measure::Runner& runner, uint32_t warps) {
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.setup = "  mov.u32 %r60, %a;\n  mov.u32 %r61, %b;\n  mov.u32 %r62, %c;\n  add.u32 %r63, %a, %b;\n";
  for (unsigned k = 0; k < 4; ++k)
    kernel.timed += fmt::format("  setp.eq.u32 %p{0}, %zero, 0;\n  mov.u32 %r{0}, 0;\n", k);
  std::string votes;
  for (unsigned k = 0; k < 4; ++k) {
    votes += fmt::format("  vote.sync.ballot.b32 %r{0}, %p{0}, 0xffffffff;\n  setp.ne.u32 %p{0}, %r{0}, %r{1};\n", k,
                         60 + k);
  }
  kernel.timed += loop(unrolled(votes, kUnrolled));
  for (unsigned k = 0; k < 4; ++k) kernel.timed += wait_for(fmt::format("%r{}", k));
  const Result<double> cycles = cycles_of(runner, kernel, warps, 0);
  if (!cycles) return cycles.error();
  return Reading{4.0 * kUnrolled * kTurns * warps / *cycles, Dimension::per_cycle};
}

/// Lane l names row l of the matrices, 16 bytes each, one behind the other: no conflicts.
constexpr std::string_view kRow =
    "  mul.lo.u32 %x, %lane, 16;\n  mov.u32 %y, scratch;\n  add.u32 %x, %x, %y;\n"
    "  mov.u32 %r63, 0;\n  st.shared.v4.u32 [%x], {%r63, %r63, %r63, %r63};\n";

std::string ldmatrix(unsigned matrices, unsigned first) {
  std::string registers;
  for (unsigned k = 0; k < matrices; ++k) registers += fmt::format("{}%r{}", k == 0 ? "" : ", ", first + k);
  return fmt::format("  ldmatrix.sync.aligned.m8n8.x{}.shared.b16 {{{}}}, [%x];\n", matrices, registers);
}

/// What is loaded, zeros, goes into the next address.
Result<Reading> measure_matrix_latency(measure::Runner& runner, unsigned matrices, bool with_xor) {
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.target = 75;
  kernel.setup = kRow;
  kernel.timed = "  add.u32 %x, %x, %zero;\n";
  kernel.timed += loop(unrolled(ldmatrix(matrices, 0) + "  xor.b32 %x, %x, %r0;\n", kUnrolled)) + wait_for("%x");
  const Result<double> cycles = cycles_of(runner, kernel, 1, 512);
  if (!cycles) return cycles.error();
  constexpr double kXor = 4;  // cycles of the exclusive or, where the row is without it
  return Reading{*cycles / (kUnrolled * kTurns) - (with_xor ? 0 : kXor), Dimension::cycles};
}

/// Eight loads of four matrices from 8 warps: warp instructions a cycle.
Result<double> matrix_rate(measure::Runner& runner, uint32_t warps) {
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.target = 75;
  kernel.setup = kRow;
  std::string loads;
  for (unsigned k = 0; k < 8; ++k) loads += ldmatrix(4, 4 * k);
  kernel.timed = "  add.u32 %x, %x, %zero;\n" + loop(unrolled(loads, kUnrolled / 8));
  for (unsigned k = 0; k < 8; ++k) kernel.timed += wait_for(fmt::format("%r{}", 4 * k));
  const Result<double> cycles = cycles_of(runner, kernel, warps, 512);
  if (!cycles) return cycles.error();
  return double{kUnrolled} * kTurns * warps / *cycles;
}

}  // namespace

std::optional<Plan> plan_warp(const Row& row) {
  if (row.quantity.starts_with("sync.vote.lat ")) return Plan{"vote latency", false, measure_vote_latency};
  if (row.quantity.starts_with("sync.vote.tput ")) {
    const auto warps = number_after(row.condition, "w");
    if (!warps || *warps < 1 || *warps > 32) return std::nullopt;
    const auto count = static_cast<uint32_t>(*warps);
    return Plan{fmt::format("vote rate {}", count), false,
                [count](measure::Runner& runner) { return measure_vote_rate(runner, count); }};
  }
  if (row.quantity.starts_with("tensor.ldsm.lat ") || row.quantity == "ldmatrix latency") {
    const auto matrices = number_after(row.condition, "x");
    const bool with_xor = row.quantity != "ldmatrix latency";
    if (!matrices || (*matrices != 1 && *matrices != 2 && *matrices != 4)) return std::nullopt;
    const auto count = static_cast<unsigned>(*matrices);
    return Plan{fmt::format("ldmatrix {} {}", count, with_xor), false,
                [=](measure::Runner& runner) { return measure_matrix_latency(runner, count, with_xor); }};
  }
  if (row.quantity.starts_with("tensor.ldsm.tput ") && row.condition == "w8_x4") {
    return Plan{"ldmatrix rate",
                false,
                [](measure::Runner& runner) -> Result<Reading> {
                  const Result<double> rate = matrix_rate(runner, 8);
                  if (!rate) return rate.error();
                  return Reading{*rate, Dimension::per_cycle};
                },
                {},
                "it gives more than shared memory can deliver"};
  }
  return std::nullopt;
}

}  // namespace bankshot::accuracy
