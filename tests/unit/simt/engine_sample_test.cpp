// EngineOptions::sample_ctas: which CTAs of a launch run, what they count, and which launches run in full.
#include "bankshot/simt/run/cta_sample.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineSample : public EngineTest {
 protected:
  static constexpr uint32_t kCtas = 100, kSample = 10;
  void SetUp() override {
    options.threads = 4;
    options.sample_ctas = kSample;
  }
  Result<LaunchStats, Fault> run_ctas(const std::string& body, uint32_t ctas = kCtas, const std::string& before = {}) {
    return run(kernel(body, before), {ctas}, {32}, kCtas * 32);
  }
  /// Notes each CTA that ran.
  static inline const std::string kNotes = kThread + "st.global.u32 [%rd2], 7;";
  std::vector<uint64_t> ran() const {
    std::vector<uint64_t> ctas;
    for (uint32_t cta = 0; cta < kCtas; ++cta) {
      if (out[cta * 32] == 7) ctas.push_back(cta);
    }
    return ctas;
  }
};

TEST_F(EngineSample, the_ctas_of_the_sample_run_and_no_others) {
  const auto stats = run_ctas(kNotes + "ret;");
  ASSERT_TRUE(stats && stats->sampled);
  EXPECT_EQ(stats->sampled->ctas, kCtas);
  EXPECT_EQ(stats->sampled->ran, kSample);
  EXPECT_EQ(stats->ctas_ended, kSample);
  EXPECT_FALSE(stats->stopped);
  EXPECT_TRUE(stats->why_all_ctas.empty());
  std::vector<uint64_t> wanted;
  for (uint64_t k = 0; k < kSample; ++k) wanted.push_back(CtaSample(kCtas, 1, kSample)[k]);
  EXPECT_EQ(ran(), wanted);
}

TEST_F(EngineSample, equal_ctas_count_the_same_share_and_there_is_no_error) {
  const std::string body = kThread +
                           "shl.b32 %r5, %r1, 3; .shared .b32 s[64]; mov.u32 %r6, s; add.u32 %r6, %r6, %r5;"
                           "st.shared.u32 [%r6], %r1; ret;";
  const auto sampled = run_ctas(body), full = run_ctas(body, kSample);
  ASSERT_TRUE(sampled && full);
  ASSERT_TRUE(sampled->sampled);
  EXPECT_FALSE(full->sampled);
  EXPECT_EQ(sampled->warp_instructions, full->warp_instructions);
  ASSERT_EQ(sampled->sites.size(), 1u);
  EXPECT_EQ(sampled->sites[0].counter.accesses, kSample);
  EXPECT_EQ(sampled->sites[0].counter.wavefronts, 2 * kSample);
  EXPECT_EQ(sampled->sampled->errors.warp_instructions, 0);
  EXPECT_EQ(sampled->sampled->errors.wavefronts, 0);
  EXPECT_EQ(sampled->sampled->errors.conflicts, 0);
}

TEST_F(EngineSample, the_error_is_that_of_the_ctas_that_ran) {
  // CTA c stores c + 1 times; each store of stride 2 is two wavefronts, one of them a conflict.
  const auto stats = run_ctas(kThread +
                              "shl.b32 %r5, %r1, 3; .shared .b32 s[64]; mov.u32 %r6, s; add.u32 %r6, %r6, %r5;"
                              "mov.u32 %r7, 0; L: st.shared.u32 [%r6], %r1; add.u32 %r7, %r7, 1;"
                              "setp.le.u32 %p1, %r7, %r2; @%p1 bra L; ret;");
  ASSERT_TRUE(stats && stats->sampled);
  const CtaSample sample(kCtas, 1, kSample);
  ClusterSpread::Sums wavefronts, conflicts;
  uint64_t sum = 0;
  for (uint64_t k = 0; k < kSample; ++k) {
    wavefronts.add(2 * (sample[k] + 1));
    conflicts.add(sample[k] + 1);
    sum += 2 * (sample[k] + 1);
  }
  ASSERT_EQ(stats->sites.size(), 1u);
  EXPECT_EQ(stats->sites[0].counter.wavefronts, sum);
  EXPECT_EQ(stats->sampled->errors.wavefronts, wavefronts.error(kSample, kCtas));
  EXPECT_EQ(stats->sampled->errors.conflicts, conflicts.error(kSample, kCtas));
  EXPECT_GT(stats->sampled->errors.warp_instructions, 0);
  // All 100 CTAs would have 2 · 5050 wavefronts.
  EXPECT_NEAR(static_cast<double>(sum) * kCtas / kSample, 10100, stats->sampled->errors.wavefronts);
}

TEST_F(EngineSample, a_launch_of_no_more_ctas_runs_in_full) {
  const auto stats = run_ctas(kNotes + "ret;", kSample);
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->sampled);
  EXPECT_TRUE(stats->why_all_ctas.empty());
  EXPECT_EQ(ran().size(), kSample);
}

TEST_F(EngineSample, clusters_run_as_a_whole) {
  cluster = {4};
  const auto stats = run_ctas(kNotes + "barrier.cluster.arrive; barrier.cluster.wait; ret;");
  ASSERT_TRUE(stats && stats->sampled) << stats.error().message;
  EXPECT_EQ(stats->sampled->ran, 12u);
  const std::vector<uint64_t> ctas = ran();
  ASSERT_EQ(ctas.size(), 12u);
  for (size_t k = 0; k < ctas.size(); k += 4) {
    EXPECT_EQ(ctas[k] % 4, 0u);
    EXPECT_EQ(ctas[k + 3], ctas[k] + 3);
  }
}

TEST_F(EngineSample, a_cooperative_launch_runs_in_full) {
  cooperative = true;
  const auto stats = run_ctas(kNotes + "ret;");
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->sampled);
  EXPECT_EQ(stats->why_all_ctas, "the launch is cooperative, so each CTA may wait for all others");
  EXPECT_EQ(ran().size(), kCtas);
}

TEST_F(EngineSample, ctas_that_may_learn_of_each_other_all_run) {
  const auto atomic = run_ctas(kNotes + "atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd2], %r5; ret;");
  ASSERT_TRUE(atomic);
  EXPECT_FALSE(atomic->sampled);
  EXPECT_TRUE(atomic->why_all_ctas.starts_with(
      "its CTAs may wait for each other or share work: atom.global.add.u32 at PTX line"))
      << atomic->why_all_ctas;
  EXPECT_FALSE(run_ctas(kNotes + "ld.volatile.global.u32 %r5, [%rd1]; ret;")->sampled);
  EXPECT_FALSE(run_ctas(kNotes + "membar.gl; ret;")->sampled);
}

TEST_F(EngineSample, a_function_that_learns_of_other_ctas_lets_its_callers_run_in_full) {
  const auto stats = run_ctas(kNotes + "{ .param .b64 p; st.param.b64 [p], %rd1; call f, (p); } ret;", kCtas,
                              ".func f(.param .b64 p) { .reg .b64 %a; .reg .b32 %b; ld.param.b64 %a, [p];"
                              "ld.volatile.u32 %b, [%a]; ret; }");
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->sampled);
  EXPECT_NE(stats->why_all_ctas.find("in f"), std::string::npos) << stats->why_all_ctas;
}

TEST_F(EngineSample, sums_that_only_depend_on_their_order_are_sampled) {
  // Lane 0 of each CTA adds 1; nvcc writes the second with a register that nothing reads.
  for (const char* const add :
       {"red.global.add.f32 [%rd1+4], 0f3f800000;", "atom.global.add.f32 %f1, [%rd1+4], 0f3f800000;"}) {
    const auto stats = run_ctas(kNotes + "setp.ne.u32 %p1, %r1, 0; @%p1 ret;" + add + "ret;");
    ASSERT_TRUE(stats);
    EXPECT_FALSE(stats->parallel);
    ASSERT_TRUE(stats->sampled) << stats->why_all_ctas;
    EXPECT_EQ(ran().size(), kSample - 0u);
  }
}

TEST_F(EngineSample, the_fault_of_a_cta_that_runs_is_told) { EXPECT_FALSE(run_ctas("trap;")); }

TEST_F(EngineSample, progress_is_that_of_the_ctas_that_are_to_run) {
  uint64_t ctas = 0;
  options.progress = [&](const LaunchProgress& now) { ctas = now.ctas; };
  ASSERT_TRUE(run_ctas("ret;"));
  EXPECT_EQ(ctas, kSample);
}

}  // namespace
}  // namespace bankshot::simt
