// Functions with transactions of their own.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineTxCalls : public EngineTest {
 protected:
  static inline const std::string kBegin = ".pragma \"bankshot.tx_begin\";\n",
                                  kCommit = ".pragma \"bankshot.tx_commit\";\n";
  static inline const std::string kShared = ".shared .align 4 .b8 word[4];\n";
  static std::string increments(const std::string& begin, const std::string& commit) {
    return kShared + ".func increments() { .reg .b32 %a;" + begin +
           "ld.shared.u32 %a, [word]; add.u32 %a, %a, 1; st.shared.u32 [word], %a;" + commit + "ret; }\n";
  }
  static inline const std::string kResult = "bar.sync 0; ld.shared.u32 %r5, [word]; st.global.u32 [%rd1], %r5; ret;";
};

TEST_F(EngineTxCalls, are_called_in_transactions_and_outside) {
  const std::string call = "call increments;\n";
  const auto result =
      run(kernel(call + kBegin + call + call + kCommit + kResult, increments(kBegin, kCommit)), {1}, {64}, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(out[0], 3 * 64u);
}

TEST_F(EngineTxCalls, do_not_commit_those_of_their_callers) {
  const auto result = run(kernel(kBegin + "call increments;\n" + kResult, increments("", kCommit)), {1}, {64}, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::bad_transaction);
  EXPECT_NE(result.error().message.find("in another function call than its tx_begin()"), std::string::npos)
      << result.error().message;
}

}  // namespace
}  // namespace bankshot::simt
