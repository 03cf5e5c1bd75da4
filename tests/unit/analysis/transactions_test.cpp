// What the analysis says of accesses in transactions: how often lanes try is known to a run only.
#include "analysis_helpers.hpp"

namespace bankshot::analysis {
namespace {

const std::string kBegin = ".pragma \"bankshot.tx_begin\";\n", kCommit = ".pragma \"bankshot.tx_commit\";\n";

TEST(AnalysisTransactions, accesses_inside_are_assumed_and_served_lane_by_lane) {
  const auto kernel_of =
      analysed(kernel("shl.b32 %r5, %r2, 2; add.u32 %r6, %r4, %r5; st.shared.u32 [%r6], %r2;\n" + kBegin +
                      "ld.shared.u32 %r7, [%r4];\n" + kCommit + "ld.shared.u32 %r8, [%r4];"),
               launch({32, 1, 1}));
  ASSERT_TRUE(kernel_of);
  const std::vector<Site>& sites = kernel_of->sites;
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].certainty, Certainty::exact);
  EXPECT_EQ(sites[1].certainty, Certainty::assumed);
  ASSERT_EQ(sites[1].assumptions.size(), 1u);
  EXPECT_NE(sites[1].assumptions[0].find("in a transaction"), std::string::npos);
  EXPECT_EQ(sites[1].totals.wavefronts, 32u);  // one word, a lane at a time
  EXPECT_EQ(sites[2].certainty, Certainty::exact);
  EXPECT_EQ(sites[2].totals.wavefronts, 1u);  // a broadcast
}

TEST(AnalysisTransactions, they_are_followed_through_branches_to_every_commit) {
  const auto kernel_of =
      analysed(kernel(kBegin + "setp.lt.u32 %p1, %r2, 16; @%p1 bra OTHER; ld.shared.u32 %r7, [%r4];\n" + kCommit +
                      "ld.shared.u32 %r7, [%r4]; bra BEHIND;\nOTHER: st.shared.u32 [%r4], %r2;\n" + kCommit +
                      "st.shared.u32 [%r4], %r2;\nBEHIND: ld.shared.u32 %r7, [%r4];"),
               launch({32, 1, 1}));
  ASSERT_TRUE(kernel_of);
  std::string all;
  for (const Site& site : kernel_of->sites) all += site.certainty == Certainty::exact ? 'e' : 'a';
  EXPECT_EQ(all, "aeaee");
}

TEST(AnalysisTransactions, nested_ones_end_with_the_outer_one) {
  const auto kernel_of =
      analysed(kernel(kBegin + kBegin + "st.shared.u32 [%r4], %r2;\n" + kCommit + "ld.shared.u32 %r7, [%r4];\n" +
                      kBegin + kCommit + "ld.shared.u32 %r7, [%r4];\n" + kCommit + "ld.shared.u32 %r7, [%r4];"),
               launch({32, 1, 1}));
  ASSERT_TRUE(kernel_of);
  std::string all;
  for (const Site& site : kernel_of->sites) all += site.certainty == Certainty::exact ? 'e' : 'a';
  EXPECT_EQ(all, "aaae");
}

}  // namespace
}  // namespace bankshot::analysis
