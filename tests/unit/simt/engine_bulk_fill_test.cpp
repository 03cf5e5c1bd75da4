// st.bulk: zeros in shared memory. Expected values are worked by hand.
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineBulkFill : public EngineTest {
 protected:
  /// Words of shared memory are ones; after `body`, out[lane + 32 k] is word lane + 32 k, of 64.
  static std::string filled(const std::string& body) {
    return kernel(
        ".shared .align 128 .b8 s[256]; mov.u32 %r1, %tid.x; mov.u32 %r20, s; setp.eq.u32 %p2, %r1, 0;"
        "mad.lo.u32 %r3, %r1, 4, %r20; st.shared.u32 [%r3], -1; st.shared.u32 [%r3+128], -1; bar.sync 0;" +
        body +
        "bar.sync 0; mad.wide.u32 %rd2, %r1, 4, %rd1; ld.shared.u32 %r4, [%r3]; st.global.u32 [%rd2], %r4; "
        "ld.shared.u32 %r4, [%r3+128]; st.global.u32 [%rd2+128], %r4; ret;");
  }
  std::string fault_of(const std::string& body) {
    const auto result = run(filled(body), {1}, {32}, 64);
    return result ? "" : result.error().message;
  }
};

TEST_F(EngineBulkFill, zeros_go_where_they_are_told) {
  const std::string generic = "cvt.u64.u32 %rd3, %r20; cvta.shared.u64 %rd3, %rd3;";
  for (const std::string& body :
       {std::string("@%p2 st.bulk.weak.shared::cta [%r20+8], 152, 0;"),
        "mov.u64 %rd4, 152;" + generic + "@%p2 st.bulk [%rd3+8], %rd4, 0;",
        // Each lane its own: eight bytes from lanes 1 to 19.
        std::string("sub.u32 %r5, %r1, 1; setp.lt.u32 %p3, %r5, 19; mad.lo.u32 %r6, %r1, 8, %r20; @%p3 "
                    "st.bulk.shared::cta [%r6], 8, 0;")}) {
    const auto result = run(filled(body), {1}, {32}, 64);
    ASSERT_TRUE(result) << result.error().message;
    for (unsigned k = 0; k < 64; ++k) EXPECT_EQ(out[k], k >= 2 && k < 40 ? 0u : ~0u) << body << k;
  }
}

TEST_F(EngineBulkFill, costs_a_wavefront_for_a_row_of_banks) {
  const auto result = run(filled("@%p2 st.bulk.shared::cta [%r20], 256, 0;"), {1}, {32}, 64);
  ASSERT_TRUE(result) << result.error().message;
  for (const SiteReport& site : result->sites) {
    if (site.op.starts_with("st.bulk")) {
      EXPECT_EQ(site.counter.wavefronts, 2u);
    }
  }
}

TEST_F(EngineBulkFill, rejects_what_does_not_fit) {
  EXPECT_NE(fault_of("@%p2 st.bulk.shared::cta [%r20], 12, 0;").find("a multiple of 8"), std::string::npos);
  EXPECT_NE(fault_of("@%p2 st.bulk.shared::cta [%r20+4], 16, 0;").find("address of st.bulk"), std::string::npos);
  EXPECT_NE(fault_of("@%p2 st.bulk.shared::cta [%r20+128], 136, 0;").find("the CTA has 256 bytes"), std::string::npos);
  EXPECT_NE(fault_of("@%p2 st.bulk [%rd1], 16, 0;").find("own shared memory"), std::string::npos);
  EXPECT_NE(refusal(filled("st.bulk.shared::cta [%r20], 16, 1;")).find("stores zeros"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::simt
