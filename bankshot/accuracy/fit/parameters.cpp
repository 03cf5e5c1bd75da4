#include "bankshot/accuracy/fit/parameters.hpp"

#include <algorithm>

namespace bankshot::accuracy {
namespace {

using enum Effect;

// Rates come first, as a unit that takes a warp in several cycles can hold up a chain.
enum Stage : unsigned { kRates, kLatencies, kAfterLatencies, kL2, kBeyondL2, kStages };

}  // namespace

std::span<const Parameter> parameters() {
  // clang-format off: a row is a line
  static const std::vector<Parameter> all = {
      // Rates of the units: independent chains of several warps.
      {"units.alu.lanes", kRates, doubling, "instructions",
       {"rate add.u32 *", "rate lop3.b32 *", "rate selp.b32 *", "rate prmt.b32 *", "rate shf.l.b32 *",
        "rate add+xor *", "rate setp.u32+selp *"}},
      {"units.multiply.lanes", kRates, doubling, "instructions", {"rate mad.lo.u32 *", "rate mul.lo.u32 *"}},
      {"units.fp16.lanes", kRates, doubling, "instructions", {"rate add.f16*", "rate mul.f16*", "rate fma.rn.f16*"}},
      {"units.fp32.lanes", kRates, doubling, "instructions", {"rate add.f32 *", "rate mul.f32 *", "rate fma.rn.f32 *"}},
      {"units.fp64.lanes", kRates, doubling, "instructions", {"rate add.f64 *", "rate mul.f64 *", "rate fma.rn.f64 *"}},
      {"units.sfu.lanes", kRates, doubling, "instructions",
       {"rate *.approx*.f32 *", "rate popc.b32 *", "rate bfind.u32 *"}},
      {"units.warp.lanes", kRates, doubling, "instructions", {"rate shfl.sync.idx *"}},
      {"units.tensor.lanes", kRates, doubling, "tensor", {"tensor * 8 *", "tensor * 16 *"}},
      {"scratchpad.wavefront_cycles", kRates, slower, "shared", {"shared chain 32 * 4 1 false"}},
      {"load_store.sub_core_cycles", kRates, slower, "issue", {"issue interval 1"}},
      {"l1.tags", kRates, doubling, "l1-strides",
       {"l1 stride 31 4", "l1 stride 33 4", "l1 stride 40 4", "l1 stride 48 4", "l1 stride 63 4"}},

      // Latencies inside an SM: dependent chains of one warp.
      {"units.alu.latency", kLatencies, slower, "instructions",
       {"latency add.u32 *", "latency addc.u32 *", "latency lop3.b32 *", "latency selp.b32 *",
        "latency prmt.b32 *", "latency shf.l.b32 *", "latency add+xor *"}},
      {"units.multiply.latency", kLatencies, slower, "instructions", {"latency mad.lo.u32 *", "latency mul.lo.u32 *"}},
      {"units.fp16.latency", kLatencies, slower, "instructions",
       {"latency add.f16*", "latency mul.f16*", "latency fma.rn.f16*"}},
      {"units.fp32.latency", kLatencies, slower, "instructions",
       {"latency add.f32 *", "latency mul.f32 *", "latency fma.rn.f32 *"}},
      {"units.fp64.latency", kLatencies, slower, "instructions",
       {"latency add.f64 *", "latency mul.f64 *", "latency fma.rn.f64 *"}},
      {"units.warp.latency", kLatencies, slower, "instructions", {"latency shfl.sync.idx *"}},
      {"units.tensor.latency", kLatencies, slower, "tensor", {"tensor * 0 false"}},
      {"l1.latency", kLatencies, slower, "latency", {"chase *"}, Level::l1},
      {"issue.barrier_cycles", kLatencies, slower, "barriers", {"barrier 1"}},

      // What contains some of these: approximations are a few additions and products around one special function, a
      // chain of indices has a shift and an addition beside each load.
      {"units.sfu.latency", kAfterLatencies, slower, "instructions", {"latency *.approx*.f32 *"}},
      {"scratchpad.latency", kAfterLatencies, slower, "shared", {"shared chain ? * 4 1 *"}},
      {"issue.barrier_warp_cycles", kAfterLatencies, slower, "barriers", {"barrier 16", "barrier 32"}},

      {"l2.latency", kL2, slower, "latency", {"chase *"}, Level::l2},
      {"l2.data_bytes", kL2, faster, "cache-bandwidth", {"caches *"}, Level::l2},

      {"dram.latency", kBeyondL2, slower, "latency", {"chase *"}, Level::dram},
      // With as many threads as SMs hold, of the blocks that gpu-stream has: the way to DRAM is what is short.
      {"l2.dram_bytes", kBeyondL2, faster, "dram", {"dram read 1024 *", "dram read 768 *"}, Level::dram},
      {"l2.atomic_cycles", kBeyondL2, slower, "atomics", {"atomic add.u32 true 32 *"}},
  };
  // clang-format on
  return all;
}

unsigned stages() { return kStages; }

bool tells(const Family& family, const Plan& plan, const gpu::Gpu& gpu, const Parameter& parameter) {
  if (family.name != parameter.family) return false;
  if (std::ranges::none_of(parameter.benchmarks, [&](std::string_view one) { return fits(one, plan.key); })) {
    return false;
  }
  const Footprint& what = plan.footprint;
  const uint64_t l1 = gpu.timing->l1.global ? gpu.timing->l1.bytes : 0;
  const uint64_t of_one = what.divided ? what.bytes / gpu.machine.sms : what.bytes;
  const bool past_l1 = what.past_l1 || of_one >= 2 * l1;
  switch (parameter.level) {  // with room between the levels: at their borders parts of the data are in each
    case Level::any: return true;
    case Level::l1: return !what.past_l1 && of_one <= l1 / 2;
    case Level::l2: return past_l1 && what.bytes <= gpu.l2_bytes / 2;
    case Level::dram: return what.bytes >= 4 * gpu.l2_bytes;
  }
  return false;
}

bool fits(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (size_t k = 0; k <= text.size(); ++k) {
      if (fits(pattern.substr(1), text.substr(k))) return true;
    }
    return false;
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) && fits(pattern.substr(1), text.substr(1));
}

}  // namespace bankshot::accuracy
