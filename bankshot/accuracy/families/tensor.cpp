// Products of matrices: latency of a chain and throughput. What the matrices hold makes no difference: zeros.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"

namespace bankshot::accuracy {
namespace {

/// An instruction with the numbers of registers of its fragments.
struct Product {
  std::string_view name;  ///< in rows
  std::string_view opcode;
  unsigned d = 4, a = 2, b = 1;
  unsigned target = 75;
  double multiply_adds = 1024;
};

constexpr std::array kProducts = {
    Product{"1688.f16", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1, 75, 1024},
    Product{"1688.f32", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 75, 1024},
    Product{"8816.s8", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1, 75, 1024},
    Product{"16816.bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 80, 2048},
    Product{"16816.f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 80, 2048},
    Product{"wmma.f32", "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, 70, 4096},
    Product{"wmma.f16", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", 4, 8, 8, 70, 4096},
};

struct Measured {
  Product product;
  bool feeds_a = false;  ///< the chain goes through A; else it accumulates
  uint32_t warps = 0;    ///< throughput of so many; 0: latency of one warp
  bool in_multiply_adds = false;
};

std::string registers(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k) text += fmt::format("{}%r{}", k == 0 ? "" : ", ", first + k);
  return text + "}";
}

constexpr uint32_t kUnrolled = 8, kTurns = 4;
constexpr unsigned kA = 32, kB = 40;  // first registers of A and B; those of D from 0 on

Result<Reading> measure_product(measure::Runner& runner, const Measured& measured) {
  const Product& product = measured.product;
  const unsigned chains = measured.warps == 0 ? 1 : 4;
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.target = product.target;
  for (unsigned k = 0; k < 48; ++k) kernel.setup += fmt::format("  mov.u32 %r{}, 0;\n", k);
  for (unsigned chain = 0; chain < chains; ++chain)
    kernel.timed += fmt::format("  or.b32 %r{0}, %r{0}, %zero;\n", chain * product.d);
  std::string step;
  for (unsigned chain = 0; chain < chains; ++chain) {
    const unsigned d = chain * product.d;
    const unsigned a = measured.feeds_a ? d : kA;
    step +=
        fmt::format("  {} {}, {}, {}, {};\n", product.opcode, registers(d, product.d), registers(a, product.a),
                    registers(kB, product.b), measured.feeds_a ? registers(kA, product.d) : registers(d, product.d));
  }
  kernel.timed += loop(unrolled(step, kUnrolled));
  for (unsigned chain = 0; chain < chains; ++chain) kernel.timed += wait_for(fmt::format("%r{}", chain * product.d));
  const Result<double> cycles = run(runner, kernel, {1, 32 * std::max(1u, measured.warps), 0}, {0, 0, kTurns, 0, 0, 0});
  if (!cycles) return cycles.error();
  if (measured.warps == 0) return Reading{*cycles / (kUnrolled * kTurns), Dimension::cycles};
  const double done = double{kUnrolled} * kTurns * chains * measured.warps;
  return Reading{done * (measured.in_multiply_adds ? product.multiply_adds : 1) / *cycles, Dimension::per_cycle};
}

std::optional<Measured> product(std::string_view name, bool feeds_a = false, uint32_t warps = 0,
                                bool in_multiply_adds = false) {
  const auto found =
      std::find_if(kProducts.begin(), kProducts.end(), [&](const Product& one) { return one.name == name; });
  if (found == kProducts.end()) return std::nullopt;
  return Measured{*found, feeds_a, warps, in_multiply_adds};
}

std::optional<Measured> measured_of(const Row& row) {
  const std::string& quantity = row.quantity;
  if (quantity.starts_with("tensor.hmma.1688.lat ")) return product("1688.f16", row.condition == "d_feeds_a");
  if (quantity.starts_with("tensor.hmma.1688.tput ") && row.condition.starts_with("w8_"))
    return product(row.condition == "w8_f16acc" ? "1688.f16" : "1688.f32", false, 8);
  if (quantity.starts_with("tensor.imma.8816.tput ") && row.condition == "w8_s8") return product("8816.s8", false, 8);
  if (quantity == "wmma latency, f32 accumulate" || quantity == "wmma m16n16k16 latency") return product("wmma.f32");
  if (quantity == "wmma latency, f16 accumulate") return product("wmma.f16");
  if (quantity == "HMMA throughput, f32 accumulate" || quantity == "HMMA throughput")
    return product("wmma.f32", false, 16, true);
  if (quantity == "HMMA throughput, f16 accumulate") return product("wmma.f16", false, 16, true);
  if (quantity == "HMMA latency" && row.condition == "mma.sync m16n8k16 bf16") return product("16816.bf16");
  if (quantity == "HMMA.F16.F32 latency" && row.condition == "m16n8k16") return product("16816.f16");
  return std::nullopt;
}

}  // namespace

std::optional<Plan> plan_tensor(const Row& row) {
  const auto measured = measured_of(row);
  if (!measured) return std::nullopt;
  return Plan{fmt::format("tensor {} {} {} {}", measured->product.name, measured->feeds_a, measured->warps,
                          measured->in_multiply_adds),
              false, [measured](measure::Runner& runner) { return measure_product(runner, *measured); }};
}

}  // namespace bankshot::accuracy
