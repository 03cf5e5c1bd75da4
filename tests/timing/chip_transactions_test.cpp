// Transactions on the chip: accesses that take effect later.
#include "chip_harness.hpp"

namespace bankshot::timing {
namespace {

class ChipTransactions : public ChipTest {};

TEST_F(ChipTransactions, accesses_under_way_find_registers_as_they_were_when_lanes_start_again) {
  // Lane 0 waits for the others' commit. They read through a pointer that was null before the transaction, and then all of
  // them conflict with it.
  const auto result = simulate(
      kernel("mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; mov.u64 %rd2, 0; mov.u32 %r2, 5; mov.u32 %r4, 0;\n"
             "setp.ne.u32 %p1, %r1, 0;\n.pragma \"bankshot.tx_begin\";\n@%p1 bra OTHERS;\n"
             "atom.shared.add.u32 %r3, [word], 1;\n.pragma \"bankshot.tx_commit\";\nbra END;\n"
             "OTHERS: add.u32 %r4, %r4, %r2; mov.u64 %rd2, %rd1; ld.volatile.global.u32 %r2, [%rd2];\n"
             "atom.shared.add.u32 %r3, [word], 1;\n.pragma \"bankshot.tx_commit\";\n"
             "END: mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3+4], %r4; ret;",
             ".shared .align 4 .b8 word[4];\n"),
      {1}, {32});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->stats.transactions.commits, 32u);
  EXPECT_GT(result->stats.transactions.aborts, 31u);
  // Otherwise what was read, a zero, came behind the register's restoring.
  for (unsigned k = 2; k <= 32; ++k) EXPECT_EQ(out[k], 5u) << k;
}

}  // namespace
}  // namespace bankshot::timing
