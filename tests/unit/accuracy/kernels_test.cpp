// NVIDIA's compiler takes what the benchmarks are made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "bankshot/accuracy/benchmark.hpp"
#include "bankshot/accuracy/evaluate.hpp"
#include "bankshot/sass/cubin.hpp"
#include "bankshot/toolkit/ptxas.hpp"
#include "tests/paths.hpp"

namespace bankshot::accuracy {
namespace {

/// A device that does nothing and keeps the texts of the modules.
class KeepTexts final : public measure::Runner {
 public:
  KeepTexts() {
    device_.name = "nothing";
    device_.major = 9;
    device_.clock_khz = 1'000'000;
    device_.facts = {{"gpu.sms", "8"},
                     {"memory.l2_bytes", "1_048_576"},
                     {"sm.shared_bytes", "233_472"},
                     {"sm.shared_per_block_optin_bytes", "232_448"}};
  }
  std::map<std::string, uint64_t> threads;  ///< of the largest block of each module
  std::string last;

  const measure::Device& device() const override { return device_; }
  std::optional<Error> load(std::string_view ptx) override {
    last = ptx;
    return std::nullopt;
  }
  Result<measure::Variable> variable(const std::string&) override { return measure::Variable{}; }
  Result<uint64_t> allocate(uint64_t) override { return uint64_t{1} << 40; }
  void release(uint64_t) override {}
  std::optional<Error> copy_in(uint64_t, std::span<const std::byte>) override { return std::nullopt; }
  std::optional<Error> copy_out(std::span<std::byte>, uint64_t) override { return std::nullopt; }
  std::optional<Error> launch(const measure::Launch& launch) override {
    threads[last] = std::max(threads[last], launch.block.count());
    return std::nullopt;
  }
  double elapsed_ns() const override { return 0; }

 private:
  measure::Device device_;
};

Result<sass::Cubin> machine_code(const std::string& ptx) {
  const auto bytes = toolkit::assemble(ptx, "sm_90");
  if (!bytes) return bytes.error();
  return sass::read_cubin(*bytes);
}

TEST(AccuracyKernels, compile_with_ptxas) {
  if (paths::ptxas().empty()) GTEST_SKIP() << "there is no ptxas";
  const auto rows = load_rows(paths::source() + "/hardware/microbenchmarks.tsv");
  ASSERT_TRUE(rows) << rows.error().message;
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    KeepTexts runner;
    std::set<std::string> keys;
    for (const Row& row : *rows) {
      const auto plan = family.plan(row);
      if (plan && keys.insert(plan->key).second) {
        EXPECT_TRUE(plan->run(runner));
      }
    }
    EXPECT_FALSE(keys.empty()) << "no row is for this family";
    for (const auto& [text, threads] : runner.threads) {
      const auto cubin = machine_code(text);
      ASSERT_TRUE(cubin) << cubin.error().message << text;
      // A block is launched only if there are registers for all of its threads. They come in units of 8.
      EXPECT_LE((cubin->kernels.at(0).registers + 7) / 8 * 8 * threads, 65536) << text;
    }
  }
}

/// What ptxas is known to fold, join, narrow or move if a benchmark lets it.
struct Measured {
  const char *quantity, *condition;
  std::string_view name;  ///< machine instruction
  unsigned bytes;         ///< of a lane; 0: no memory instruction
  unsigned count;         ///< in the kernel
};

constexpr Measured kMeasured[] = {
    // Eight loads a turn.
    {"shared load time relative to b32 broadcast", "float(b32) boardcast index tx/32", "LDS", 4, 8},
    {"shared load time relative to b32 broadcast", "float(b32) x index (tx%8) * 32 + tx/8", "LDS", 4, 8},
    {"shared load time relative to b32 broadcast", "float4(b128) normal index tx", "LDS", 16, 8},
    // Eight from each of two bases, and eight before.
    {"global load, L1 hit: cycles per warp load", "float stride 3", "LDG", 4, 24},
    {"global load, L1 hit: cycles per warp load", "double stride 3", "LDG", 8, 24},
    {"sync.vote.lat ", "ballot", "VOTE", 0, 16},
    {"sync.vote.tput ", "w8_ballot", "VOTE", 0, 64},
    {"tensor.ldsm.lat ", "x1_chain", "LDSM", 4, 16},
    // A chain of 64; and what makes %zero.
    {"instruction latency, dependent chain", "PTX and.b32 = SASS LOP3", "LOP3", 0, 65},
    {"alu.lop3.lat ", "-", "LOP3", 0, 65},
    {"instruction latency, dependent chain", "PTX cnot.b32 = SASS SETP + SEL", "SEL", 0, 64},
    {"instruction latency, dependent chain", "PTX add.f32 = SASS FADD", "FADD", 0, 64},
    {"LOP3 throughput", "8 warps/SM", "LOP3", 0, 257},
    {"issue cycle of memory instruction n of a sub-core, L1/shared hits", "n=5, any number of ", "LDS", 4, 5},
    {"steady-state issue interval of memory instructions per sub-core", "2 active", "LDS", 4, 96},
    // Eight loads a turn, or four, and ptxas writes loops of one, two, four and one more.
    {"mem.l1.bw ", "w4_f128", "LDG", 16, 64},
    {"L1 bandwidth", "l1_bw_64f", "LDG", 8, 64},
    {"mem.smem.bw ", "w4_f128", "LDS", 16, 64},
    {"cache bandwidth, all SMs read the same buffer", "32 kB", "LDG", 4, 32},
};

TEST(AccuracyKernels, machine_code_has_what_is_measured) {
  if (paths::ptxas().empty()) GTEST_SKIP() << "there is no ptxas";
  for (const Measured& measured : kMeasured) {
    SCOPED_TRACE(std::string(measured.quantity) + ", " + measured.condition);
    KeepTexts runner;
    const auto plan = plan_of({"", "", measured.quantity, measured.condition, 1, "", "", 1});
    ASSERT_TRUE(plan);
    ASSERT_TRUE(plan->second.run(runner));
    unsigned most = 0;  // of the benchmark's kernels, of which some are compared with
    for (const auto& [text, threads] : runner.threads) {
      const auto cubin = machine_code(text);
      ASSERT_TRUE(cubin) << cubin.error().message;
      unsigned count = 0;
      for (const sass::Instruction& one : cubin->kernels.at(0).code)
        count += one.name == measured.name && one.bytes == measured.bytes;
      most = std::max(most, count);
    }
    EXPECT_EQ(most, measured.count);
  }
}

TEST(AccuracyKernels, what_a_gpu_does_otherwise_is_not_measured_there) {
  const auto rows = parse_rows(
      "gpu\tarch\tquantity\tcondition\tvalue\tunit\tsource\n"
      "H200\tsm_90\tL2 bandwidth\ttotal data 5632 kB\t5431\tGB/s\tx\n"
      "H200\tsm_90\ttensor.ldsm.tput recip_tput\tw8_x4\t0.25\twarpinst/SM/clk\tx\n"
      "H200\tsm_90\tinstruction latency, dependent chain\tPTX bar.warp.sync; = SASS NOP\t5\tcycles\tx\n",
      "rows.tsv");
  ASSERT_TRUE(rows) << rows.error().message;
  KeepTexts runner;
  const Result<Evaluation> evaluation = evaluate_on(runner, *rows, {});
  ASSERT_TRUE(evaluation);
  EXPECT_TRUE(evaluation->answers.empty());
  ASSERT_EQ(evaluation->unanswered.size(), 3u);
  EXPECT_EQ(evaluation->unanswered[0].reason, "it gives more than L2 can deliver, as SMs share what they read");
  EXPECT_EQ(evaluation->unanswered[2].reason, "ptxas removes the instruction");
}

}  // namespace
}  // namespace bankshot::accuracy
