// Accesses of global memory are counted at their instructions.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineL1 : public EngineTest {
 protected:
  EngineL1() { options.l1 = scratchpad::L1Rules{scratchpad::l1_bank_rules({}, 32), 128, 32, 4}; }

  std::vector<L1SiteReport> sites(const std::string& body, size_t words, const std::string& before = {}) {
    auto result = run(kernel(body, before), {1, 1, 1}, {32, 1, 1}, words);
    return result ? result->l1_sites : std::vector<L1SiteReport>{};
  }
};

// Buffers begin at pages. A store has no wavefronts: 32 lines in 8 cycles, where 1 would do.
TEST_F(EngineL1, loads_stores_and_atomics_have_sites) {
  const auto all = sites(
      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 132; add.u64 %rd2, %rd1, %rd2;"
      "ld.global.u32 %r2, [%rd2+4]; st.global.u32 [%rd2], %r1; red.global.add.u32 [%rd1], %r1; ret;",
      33 * 32);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].op, "ld.global.u32");
  EXPECT_TRUE(all[0].reads);
  EXPECT_EQ(all[0].totals.sums.wavefronts, 1u);
  EXPECT_EQ(all[0].totals.sums.cycles, 8u);
  EXPECT_EQ(all[0].totals.sums.ideal_cycles, 1u);
  EXPECT_EQ(all[0].totals.worst.shape.stride_bytes, 132);
  EXPECT_EQ(all[1].kind, scratchpad::AccessKind::store);
  EXPECT_FALSE(all[1].reads);
  EXPECT_EQ(all[1].totals.sums.wavefronts, 0u);
  EXPECT_EQ(all[1].totals.sums.tags, 32u);
  EXPECT_EQ(all[1].totals.sums.cycles, 8u);
  EXPECT_EQ(all[2].kind, scratchpad::AccessKind::atomic);
  EXPECT_EQ(all[2].totals.sums.tags, 1u);
  EXPECT_EQ(all[2].totals.sums.ideal_sectors, 1u);
  EXPECT_EQ(out[33 * 5], 5u);
}

// A load may overwrite its address, a guard leaves lanes out.
TEST_F(EngineL1, a_guard_and_an_address_that_is_overwritten) {
  const auto all = sites(
      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd2, %rd1, %rd2; setp.lt.u32 %p1, %r1, 16;"
      "@%p1 ld.global.u64 %rd2, [%rd2]; @!%p1 ld.global.u64 %rd2, [%rd2]; ret;",
      64);
  ASSERT_EQ(all.size(), 2u);
  for (const L1SiteReport& site : all) {
    EXPECT_EQ(site.width, 8u);
    EXPECT_EQ(site.totals.lanes, 16u);
    EXPECT_EQ(site.totals.sums.tags, 1u);
    EXPECT_EQ(site.totals.sums.cycles, 1u);
  }
}

// Of generic accesses only the lanes in global memory count; volatile ones and .cg do not look in the cache.
TEST_F(EngineL1, generic_accesses_count_where_they_are_global) {
  const auto all = sites(
      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 32; add.u64 %rd2, %rd1, %rd2;"
      "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; ld.u32 %r3, [%rd3]; setp.lt.u32 %p1, %r1, 8;"
      "selp.b64 %rd4, %rd2, %rd3, %p1; ld.u32 %r4, [%rd4];"
      "ld.volatile.global.u32 %r5, [%rd2]; ld.global.cg.u32 %r6, [%rd2]; ret;",
      256, ".shared .align 4 .b8 s[64];");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].totals.lanes, 8u);
  EXPECT_EQ(all[0].totals.sums.sectors, 8u);
  EXPECT_EQ(all[0].totals.sums.ideal_sectors, 1u);
  EXPECT_EQ(all[0].totals.sums.wavefronts, 2u);
  for (const size_t k : {1u, 2u}) {
    EXPECT_FALSE(all[k].reads);
    EXPECT_EQ(all[k].totals.sums.wavefronts, 0u);
    EXPECT_EQ(all[k].totals.sums.cycles, 2u);
  }
}

// What cp.async reads passes the tags as a load does, and takes no wavefronts.
TEST_F(EngineL1, asynchronous_copies_are_counted_where_they_read) {
  const auto all = sites(
      "mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 128; add.u64 %rd2, %rd1, %rd2; shl.b32 %r2, %r1, 2;"
      "mov.u32 %r3, s; add.u32 %r3, %r3, %r2; cp.async.ca.shared.global [%r3], [%rd2], 4;"
      "cp.async.wait_all; ret;",
      1024, ".shared .align 4 .b8 s[128];");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, scratchpad::AccessKind::load);
  EXPECT_EQ(all[0].width, 4u);
  EXPECT_EQ(all[0].totals.sums.tags, 32u);
  EXPECT_EQ(all[0].totals.sums.cycles, 8u);
}

TEST_F(EngineL1, nothing_is_counted_unless_asked) {
  options.l1.reset();
  EXPECT_TRUE(sites("ld.global.u32 %r1, [%rd1]; ret;", 1).empty());
}

}  // namespace
}  // namespace bankshot::simt
