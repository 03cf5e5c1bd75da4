// What Checks finds in kernels: barriers and membermasks that not all come to, shared memory of clusters, bulk copies.
#include <optional>

#include "bankshot/simt/checks/checks.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

using Kind = Finding::Kind;

class EngineChecks : public EngineTest {
 protected:
  /// "absent-member 32" or "divergent-barrier warning 28" of each finding, with its count, after a launch that comes to
  /// its end.
  std::vector<std::string> found(const std::string& body, uint32_t threads, CheckOptions wanted, uint32_t ctas = 1) {
    checks_.emplace(wanted);
    options.checks = &*checks_;
    const auto result = run(kernel(kShared + kThread + body), {ctas}, {threads}, size_t{ctas} * threads + 1024);
    EXPECT_TRUE(result) << result.error().message;
    options.checks = nullptr;
    std::vector<std::string> all;
    for (const Finding& finding : checks_->findings()) {
      all.push_back(std::string(name_of(finding.kind)) + (finding.is_warning ? " warning " : " ") +
                    std::to_string(finding.count));
    }
    return all;
  }
  std::vector<std::string> sync(const std::string& body, uint32_t threads = 64) {
    return found(body, threads, {.sync = true});
  }
  std::vector<std::string> races(const std::string& body, uint32_t threads = 32) {
    return found(body, threads, {.race = true}, static_cast<uint32_t>(std::max<uint64_t>(1, cluster.count())));
  }
  const Finding& first() const { return checks_->findings().front(); }

  using List = std::vector<std::string>;
  static inline const std::string kShared = ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;\n";
  static inline const std::string kStore = "st.global.u32 [%rd2], %r1;\n";
  /// %r5 = rank, %r6 = the other one's, %r20 = s, %r21 = bar, %r7 and %r8 = those of the other CTA
  static inline const std::string kPair =
      "mov.u32 %r20, s; mov.u32 %r21, bar; mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1;"
      "mapa.shared::cluster.u32 %r7, %r20, %r6; mapa.shared::cluster.u32 %r8, %r21, %r6; setp.eq.u32 %p2, %r1, 0;\n";
  static inline const std::string kSync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

 private:
  std::optional<Checks> checks_;
};

TEST_F(EngineChecks, threads_that_end_before_a_barrier_are_told) {
  // 28 threads of the last warp end; the others pass two barriers on one line.
  const std::string leave = "setp.ge.u32 %p1, %r1, 100; @%p1 bra END;";
  EXPECT_EQ(sync(leave + "bar.sync 0; bar.sync 0;\nEND: ret;", 128), List{"divergent-barrier warning 56"});
  EXPECT_EQ(first().op, "bar.sync");
  EXPECT_EQ(first().thread.x, 0u);
  EXPECT_EQ(first().other_thread.x, 100u);
  EXPECT_EQ(sync(leave + "barrier.sync 0;\nEND: ret;", 128), List{"divergent-barrier warning 28"});
}

TEST_F(EngineChecks, a_loop_with_more_barriers_for_some_warps_is_told) {
  // Warp 1 goes round twice more than warp 0, which has ended then.
  EXPECT_EQ(sync("shr.u32 %r5, %r1, 5; mad.lo.u32 %r5, %r5, 2, 3;\n"
                 "L: bar.sync 0;\nsub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;\nret;"),
            List{"divergent-barrier warning 64"});
}

TEST_F(EngineChecks, threads_that_end_behind_all_barriers_are_not_told) {
  EXPECT_EQ(sync("bar.sync 0; setp.lt.u32 %p1, %r1, 40; @%p1 bra END;\n" + kStore + "END: ret;"), List{});
  // A barrier of one warp needs no other.
  EXPECT_EQ(sync("setp.ge.u32 %p1, %r1, 32; @%p1 bra END; bar.sync 1, 32;\nEND: ret;"), List{});
}

TEST_F(EngineChecks, warps_at_different_barriers_are_told_once) {
  const auto apart = [](const std::string& a, const std::string& b) {
    // The warps change places each time.
    return "mov.u32 %r6, 3;\nL: shr.u32 %r7, %r1, 5; xor.b32 %r7, %r7, %r6; and.b32 %r7, %r7, 1; setp.eq.u32 %p1, %r7, "
           "0;\n"
           "@%p1 bra B;\n" +
           a + "\nbra J;\nB: " + b + "\nJ: sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra L;\nret;";
  };
  EXPECT_EQ(sync(apart("bar.sync 0;", "bar.sync 0;")), List{"divergent-barrier warning 96"});
  EXPECT_EQ(first().other_op, "bar.sync");
  EXPECT_EQ(sync(apart("barrier.sync 0;", "barrier.sync 0;")), List{});  // not aligned
  EXPECT_EQ(sync(apart("bar.sync 1, 64;", "bar.sync 1, 64;")), List{});  // producers and consumers
}

TEST_F(EngineChecks, a_whole_warp_may_come_twice) {
  // Warp 0 arrives for another one, and then waits in the same phase.
  EXPECT_EQ(sync("setp.ge.u32 %p1, %r1, 32; @%p1 bra B;\nbar.arrive 1, 96;\nbar.sync 1, 96;\nret;\nB: bar.sync 1, 96;\n"
                 "ret;"),
            List{});
}

TEST_F(EngineChecks, a_named_thread_that_goes_elsewhere_is_told) {
  const std::string half = "setp.ge.u32 %p1, %r1, 16; @%p1 bra J;\n";
  const std::string exchange = "shfl.sync.down.b32 %r5, %r1, 1, 31, 0xffffffff;\n";
  EXPECT_EQ(sync(half + exchange + "J: " + kStore + "ret;", 32), List{"absent-member warning 16"});
  EXPECT_EQ(first().op, "shfl.sync.down.b32");
  EXPECT_EQ(first().thread.x, 0u);
  EXPECT_EQ(first().other_thread.x, 16u);
  // An error, as it exchanges with others.
  EXPECT_EQ(sync(half + exchange + "bra E;\nJ: shfl.sync.down.b32 %r5, %r1, 1, 31, 0xffff0000;\nret;\nE: ret;", 32),
            List{"absent-member 16"});
}

TEST_F(EngineChecks, named_threads_that_have_ended_or_come_later_are_not_told) {
  const std::string exchange = "shfl.sync.down.b32 %r5, %r1, 1, 31, 0xffffffff;\n";
  EXPECT_EQ(sync("setp.ge.u32 %p1, %r1, 16; @%p1 bra END;\n" + exchange + "END: ret;", 32), List{});
  // Two halves at two instructions, one behind the join of the other.
  EXPECT_EQ(sync("setp.ge.u32 %p1, %r1, 16; @%p1 bra J;\nbar.warp.sync 0xffffffff;\nJ: " + kStore +
                     "setp.lt.u32 %p1, %r1, 16; @%p1 bra END;\nbar.warp.sync 0xffffffff;\nEND: ret;",
                 32),
            List{});
  // Having come once does not excuse, and does not accuse either.
  EXPECT_EQ(sync("mov.u32 %r6, 3;\nL: setp.ge.u32 %p1, %r1, 16; @%p1 bra J;\nbar.warp.sync 0xffffffff;\nJ: " + kStore +
                     "setp.lt.u32 %p1, %r1, 16; @%p1 bra K;\nbar.warp.sync 0xffffffff;\nK: sub.u32 %r6, %r6, 1; "
                     "setp.ne.u32 %p2, %r6, 0; @%p2 bra L;\nret;",
                 32),
            List{});
  // They exchange among themselves, come, and end the next time before they do either.
  EXPECT_EQ(sync("mov.u32 %r6, 2;\nL: setp.ge.u32 %p1, %r1, 16; @%p1 bra H;\nbar.warp.sync 0xffffffff;\nbra K;\n"
                 "H: setp.eq.u32 %p3, %r6, 1; @%p3 bra END;\nbar.warp.sync 0xffff0000;\nbar.warp.sync 0xffffffff;\n"
                 "K: sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra L;\nEND: ret;",
                 32),
            List{});
}

TEST_F(EngineChecks, ctas_of_a_cluster_race_in_each_others_memory) {
  cluster = {2};
  const std::string store = "shl.b32 %r9, %r1, 2; add.u32 %r10, %r9, %r7; st.shared::cluster.u32 [%r10], %r1;\n";
  const std::string load = "add.u32 %r11, %r9, %r20; ld.shared.u32 %r12, [%r11]; st.global.u32 [%rd2], %r12;\n";
  // Rank 1 comes last to the barrier and goes on first. Rank 0 stores what it has read, and reads what it has stored.
  const List both = {"write-after-read 32", "read-after-write 32"};
  EXPECT_EQ(races(kPair + kSync + store + "bar.sync 0;\n" + load + kSync + "ret;"), both);
  EXPECT_EQ(
      first().detail,
      "no cluster barrier in between; the earlier thread is one of CTA (1,0,0); the memory is that of CTA (1,0,0)");
  EXPECT_EQ(first().cta.x, 0u);
  EXPECT_EQ(first().variable, "s");
  EXPECT_EQ(races(kPair + kSync + store + kSync + load + kSync + "ret;"), List{});
}

TEST_F(EngineChecks, mbarriers_of_other_ctas_order) {
  cluster = {2};
  const auto body = [](const std::string& before, const std::string& behind) {
    return kPair + "@%p2 mbarrier.init.shared::cta.b64 [%r21], 32; fence.mbarrier_init.release.cluster;" + kSync +
           "shl.b32 %r9, %r1, 2; add.u32 %r10, %r9, %r7;" + before +
           "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n" + behind +
           "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r21], 0; @!%p3 bra W;\n"
           "xor.b32 %r9, %r9, 4; add.u32 %r11, %r9, %r20; ld.shared.u32 %r12, [%r11]; st.global.u32 [%rd2], %r12;" +
           kSync + "ret;";
  };
  const std::string store = "st.shared::cluster.u32 [%r10], %r1;\n";
  EXPECT_EQ(races(body(store, "")), List{});
  EXPECT_EQ(races(body("", store)).size(), 2u) << "of each CTA";
}

TEST_F(EngineChecks, asynchronous_stores_and_reductions_are_there_for_who_waits) {
  cluster = {2};
  const auto body = [](const std::string& operation, bool waits) {
    return kPair +
           "@%p2 mbarrier.init.shared::cta.b64 [%r21], 1; @%p2 mov.u32 %r13, 5; @%p2 st.shared.u32 [%r20], %r13;"
           "fence.mbarrier_init.release.cluster;" +
           kSync + "@%p2 mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r21], 4;\n@%p2 " + operation +
           (waits ? "\nW: mbarrier.try_wait.parity.shared.b64 %p3, [%r21], 0; @!%p3 bra W;\n" : "\n") +
           "ld.shared.u32 %r12, [%r20]; st.global.u32 [%rd2], %r12;" + kSync + "ret;";
  };
  for (const char* operation :
       {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7], %r1, [%r8];",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r7], %r13, [%r8];"}) {
    EXPECT_EQ(races(body(operation, true)), List{}) << operation;
    EXPECT_FALSE(races(body(operation, false)).empty()) << operation;
  }
}

// With nothing else in the module that waits.
TEST_F(EngineChecks, copies_that_nobody_waits_for_are_told) {
  const std::string read =
      "bar.sync 0; xor.b32 %r9, %r9, 4; add.u32 %r10, %r9, %r20; ld.shared.u32 %r11, [%r10]; st.global.u32 [%rd2], "
      "%r11; ret;";
  const std::string place =
      "mov.u32 %r20, s; mov.u32 %r21, bar; shl.b32 %r9, %r1, 2; add.u32 %r10, %r9, %r20; setp.eq.u32 %p2, %r1, 0;\n";
  EXPECT_EQ(races(place + "cp.async.ca.shared.global [%r10], [%rd2], 4;\n" + read, 64), List{"read-after-write 64"});
  EXPECT_EQ(first().detail, "one of them is an asynchronous copy that no thread has waited for");
  EXPECT_EQ(
      races(
          place +
              "@%p2 mbarrier.init.shared::cta.b64 [%r21], 1;\nbar.sync 0;\n"
              "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r20], [%rd1], 256, [%r21];\n" +
              read,
          64),
      List{"read-after-write 64"});
}

TEST_F(EngineChecks, wgmma_reads_shared_memory_until_its_group_is_waited_for) {
  // All cores of both operands are the first 128 bytes, which warp 0 writes.
  const std::string write = "@%p1 st.shared.u32 [%r22], %r24;\n", fence = "fence.proxy.async.shared::cta;\n",
                    barrier = "bar.sync 0;\n", wait = "wgmma.wait_group.sync.aligned 0;\n";
  const auto body = [&](const std::string& before, const std::string& after) {
    return "shl.b32 %r22, %r1, 2; mov.u32 %r23, s; add.u32 %r22, %r22, %r23; add.u32 %r24, %r1, 7;\n"
           "setp.lt.u32 %p1, %r1, 32; shr.u32 %r23, %r23, 4; cvt.u64.u32 %rd4, %r23;\n" +
           before +
           "wgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd4, %rd4, 0, 1, 1, 0, 0;\n"
           "wgmma.commit_group.sync.aligned;\n" +
           after + "ret;";
  };
  const std::string change = "add.u32 %r24, %r24, 1;\n" + write;
  EXPECT_EQ(races(body(write + fence + barrier, wait), 128), List{});
  EXPECT_EQ(races(body(write + fence + barrier, wait + change), 128), List{}) << "its own warp has waited";
  EXPECT_EQ(races(body(write + barrier, wait), 128).size(), 1u);
  EXPECT_EQ(first().detail, "wgmma reads it, without a fence.proxy.async in between");
  EXPECT_EQ(races(body(write + fence, wait), 128).size(), 1u);
  EXPECT_EQ(first().detail, "wgmma reads it, without a barrier in between");
  EXPECT_EQ(races(body(write + fence + barrier, change + wait), 128).size(), 1u);
  EXPECT_EQ(first().kind, Kind::write_after_read);
  EXPECT_EQ(first().detail, "the earlier access is a wgmma that no thread has waited for");
}

TEST_F(EngineChecks, a_bulk_copy_of_what_threads_wrote_needs_a_proxy_fence) {
  const auto body = [](const std::string& fence, const std::string& behind) {
    return "mov.u32 %r20, s; shl.b32 %r9, %r1, 2; add.u32 %r10, %r9, %r20;\nst.shared.u32 [%r10], %r1;\n" + fence +
           "bar.sync 0; setp.ne.u32 %p1, %r1, 0; @%p1 bra END;" + behind +
           "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r20], 128; cp.async.bulk.commit_group; "
           "cp.async.bulk.wait_group.read 0;\nEND: ret;";
  };
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  EXPECT_EQ(races(body("", "")), List{"read-after-write 32"});
  EXPECT_EQ(first().detail, "a bulk copy reads it, without a fence.proxy.async in between");
  EXPECT_EQ(races(body(fence, "")), List{});
  EXPECT_EQ(races(body("fence.proxy.async;\n", "")), List{});
  EXPECT_EQ(races(body("", fence)), List{});
  EXPECT_EQ(races(body("fence.proxy.async.global;\n", "")).size(), 1u);
}

}  // namespace
}  // namespace bankshot::simt
