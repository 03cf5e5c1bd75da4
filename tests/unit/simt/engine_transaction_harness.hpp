// Kernels with transactions: what their tests share.
#pragma once

#include "engine_harness.hpp"
#include "tests/unit/scratchpad/tx_helpers.hpp"

namespace bankshot::simt {

inline const std::string kBegin = "\n.pragma \"bankshot.tx_begin\";\n", kCommit = "\n.pragma \"bankshot.tx_commit\";\n";
inline const std::string kShared = ".shared .align 16 .b8 s[4096];\n";

/// Adds 1 to the shared word whose address is in `at`.
inline std::string increment(const std::string& at) {
  return "ld.shared.u32 %r30, [" + at + "]; add.u32 %r30, %r30, 1; st.shared.u32 [" + at + "], %r30;";
}
/// Repeats `what` `count` times.
inline std::string times(unsigned count, const std::string& what) {
  return "mov.u32 %r6, 0; AGAIN: " + what + "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, " + std::to_string(count) +
         "; @%p1 bra AGAIN;";
}
/// Stores a register as the result of the thread; append its name.
inline const std::string kTell = "st.global.u32 [%rd2], ";
/// Lets other warps and paths run.
inline const std::string kLetOthers = "nanosleep.u32 1;";

/// What holds of transactions that have all ended.
inline void expect_laws(const scratchpad::TxTotals& t) {
  EXPECT_EQ(t.lanes, t.commits + t.aborts);
  EXPECT_EQ(t.aborts, t.conflicts + t.killed + t.invalid);
  EXPECT_GE(t.attempts, t.transactions);
  EXPECT_LE(t.false_conflicts + t.read_conflicts, t.conflicts);
  EXPECT_LE(t.conflicting_accesses, t.conflicts);
  EXPECT_EQ(t.conflicting_accesses == 0, t.conflicts == 0);
  EXPECT_LE(t.warp_serialised + t.cta_serialised, t.attempts);
  EXPECT_GE(t.lanes, t.attempts);
}

class EngineTransactionTest : public EngineTest {
 protected:
  /// Runs a CTA of so many threads; behind the body, the first `words` words of shared memory go to `out`, and what was
  /// written at [%rd2] stands behind those.
  scratchpad::TxTotals totals(const std::string& body, uint32_t threads, uint32_t words,
                              const std::string& before = {}) {
    const std::string copy =
        "bar.sync 0; mov.u32 %r31, %tid.x; setp.ne.u32 %p7, %r31, 0; @%p7 bra COPIED; mov.u64 %rd30, s;"
        "cvta.shared.u64 %rd30, %rd30; mov.u64 %rd31, %rd1; COPY: ld.u32 %r30, [%rd30];"
        "st.global.u32 [%rd31], %r30; add.u64 %rd30, %rd30, 4; add.u64 %rd31, %rd31, 4;"
        "add.u32 %r31, %r31, 1; setp.lt.u32 %p7, %r31, " +
        std::to_string(words) + "; @%p7 bra COPY; COPIED: ret;";
    const auto stats = run(kernel(kShared + kThread + "add.u64 %rd2, %rd2, " + std::to_string(4 * words) +
                                      "; mov.u32 %r29, s;\n" + body + copy,
                                  before),
                           {1}, {threads}, words + threads);
    if (!stats) {
      ADD_FAILURE() << stats.error().message;
      return {};
    }
    expect_laws(stats->transactions);
    return stats->transactions;
  }

  /// The fault of a kernel that must have one.
  Fault fault_of(const std::string& body, const std::string& before = {}, uint32_t threads = 32) {
    const auto stats = run(kernel(kShared + kThread + "mov.u32 %r29, s;\n" + body, before), {1}, {threads}, threads);
    EXPECT_FALSE(stats) << body;
    return stats ? Fault{} : stats.error();
  }
};

}  // namespace bankshot::simt
