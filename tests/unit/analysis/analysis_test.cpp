// Access patterns from the code: the examples of the XOR-hash paper, section 3, and what cannot be told.
#include "tests/unit/analysis/analysis_helpers.hpp"

namespace bankshot::analysis {
namespace {

using scratchpad::PatternClass;

/// %r10 = tile + 4 * %rX
std::string address(const std::string& index) { return "shl.b32 %r9, " + index + ", 2; add.s32 %r10, %r4, %r9;\n"; }

TEST(Analysis, transpose_of_a_16_by_16_tile) {
  // Section 3.2.1 and 3.2.2: loading is conflict-free, storing reads 0, 16, … 240, 1, 17, … : 8-way.
  const std::string text =
      kernel("mad.lo.s32 %r5, %r3, 16, %r2;" + address("%r5") + "st.shared.u32 [%r10], %r2;\n" +
             "bar.sync 0; mad.lo.s32 %r5, %r2, 16, %r3;" + address("%r5") + "ld.shared.u32 %r11, [%r10];\n");
  const auto s = sites(text, launch({16, 16, 1}));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].certainty, Certainty::exact);
  EXPECT_EQ(s[0].totals.accesses, 8u);
  EXPECT_EQ(s[0].totals.wavefronts, 8u);
  EXPECT_EQ(formula(s[0]), "16*ty + tx");
  EXPECT_EQ(s[1].certainty, Certainty::exact);
  EXPECT_EQ(s[1].totals.accesses, 8u);
  EXPECT_EQ(s[1].totals.wavefronts, 64u);
  EXPECT_EQ(s[1].totals.degree_max, 8u);
  EXPECT_EQ(formula(s[1]), "ty + 16*tx");
  const Matrix load = matrix_of(s[0].instances[0].formula, 0, 16), store = matrix_of(s[1].instances[0].formula, 0, 16);
  EXPECT_EQ(load.m[0][0], 1);  // [1 0; 0 1]
  EXPECT_EQ(load.m[0][1], 0);
  EXPECT_EQ(load.m[1][0], 0);
  EXPECT_EQ(load.m[1][1], 1);
  EXPECT_EQ(store.m[0][0], 0);  // [0 1; 1 0]
  EXPECT_EQ(store.m[0][1], 1);
  EXPECT_EQ(store.m[1][0], 1);
  EXPECT_EQ(store.m[1][1], 0);
  EXPECT_EQ(s[0].arrays, std::vector<uint32_t>{0});
  ASSERT_EQ(s[1].patterns.size(), 8u);
  EXPECT_EQ(s[1].patterns[0].words[1], 16u);
  EXPECT_EQ(s[1].patterns[0].words[16], 1u);
}

/// Section 3.2.3: if (2*S*tx < 256) s[2*S*tx] = s[2*S*tx + S] for S = 1, 2, … 128.
const std::string kReduction =
    "mov.u32 %r5, 1;\n"
    "LOOP: bar.sync 0; mul.lo.s32 %r6, %r5, %r2; shl.b32 %r6, %r6, 1; setp.gt.s32 %p1, %r6, 255; @%p1 bra BEHIND;\n" +
    address("%r6") +
    "shl.b32 %r7, %r5, 2; add.s32 %r7, %r10, %r7; ld.shared.u32 %r11, [%r7];\nst.shared.u32 [%r10], %r11;\n" +
    "BEHIND: shl.b32 %r5, %r5, 1; setp.lt.s32 %p2, %r5, 256; @%p2 bra LOOP;\n";

// Lanes 0 to 3 on word 0, and so on: 8 words. A result that nobody reads makes an addition of 1 an increment.
TEST(Analysis, atomics_cost_by_kind_what_the_engine_counts) {
  scratchpad::Rules hopper;
  hopper.combines_increments = true;
  hopper.cas_passes = 2;
  const std::string at = "shr.u32 %r5, %r2, 2;" + address("%r5");
  const auto wavefronts = [&](const std::string& atomic, const scratchpad::Rules& rules) {
    const std::string text = kernel(at + atomic);
    EXPECT_EQ(agreement(text, launch({32, 1, 1}, Extent{1, 1, 1}), 0, rules), 1u) << text;
    return sites(text, launch({32, 1, 1}), rules).at(0).totals.wavefronts;
  };
  for (const std::string increment : {"red.shared.add.u32 [%r10], 1;", "atom.shared.add.u32 %r20, [%r10], 1;",
                                      "atom.shared.inc.u32 %r20, [%r10], 0xffffffff;"}) {
    EXPECT_EQ(wavefronts(increment, hopper), 1u);
    EXPECT_EQ(wavefronts(increment, {}), 4u);
  }
  EXPECT_EQ(wavefronts("atom.shared.add.u32 %r20, [%r10], 1; add.u32 %r21, %r20, 1;", hopper), 4u);
  EXPECT_EQ(wavefronts("red.shared.add.u32 [%r10], 3;", hopper), 4u);
  EXPECT_EQ(wavefronts("atom.shared.cas.b32 %r20, [%r10], 1, 2;", hopper), 8u);
  EXPECT_EQ(wavefronts("atom.shared.cas.b32 %r20, [%r10], 1, 2;", {}), 4u);
}

TEST(Analysis, reduction_doubles_its_stride) {
  const auto s = sites(kernel(kReduction), launch({256, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  const Site& store = s[1];
  EXPECT_EQ(store.certainty, Certainty::exact);
  ASSERT_EQ(store.instances.size(), 8u);
  EXPECT_EQ(formula(store, 0), "2*tx");
  EXPECT_EQ(formula(store, 3), "16*tx");
  EXPECT_EQ(loop_factors(store.instances), std::nullopt);  // it is the stride that changes
  EXPECT_EQ(store.instances[3].iterations, std::vector<uint32_t>{3});
  // S:             1      2      4      8      16     32    64    128
  // active lanes:  128    64     32     16     8      4     2     1
  // degree:        4*2    2*4    8      16 ... of one warp: lanes on banks 2S*l mod 32 (words up to 255)
  EXPECT_EQ(store.totals.accesses, 4u + 2 + 1 + 1 + 1 + 1 + 1 + 1);
  EXPECT_EQ(store.totals.wavefronts, 4u * 2 + 2 * 4 + 8 + 8 + 8 + 4 + 2 + 1);
  EXPECT_EQ(store.totals.degree_max, 8u);
}

TEST(Analysis, fast_walsh_transform_has_sub_warps) {
  // Section 3.2.4: lo = tx & (stride - 1); i0 = ((tx - lo) << 2) + lo for stride = 512, 128, 32, 8, 2, on 512 threads.
  const std::string text = kernel(
      "mov.u32 %r5, 512;\n"
      "LOOP: add.s32 %r6, %r5, -1; and.b32 %r7, %r2, %r6; sub.s32 %r8, %r2, %r7; shl.b32 %r8, %r8, 2; add.s32 %r8, "
      "%r8, %r7;\n" +
      address("%r8") + "ld.shared.u32 %r11, [%r10];\nshr.s32 %r5, %r5, 2; setp.gt.s32 %p1, %r5, 0; @%p1 bra LOOP;\n");
  const auto s = sites(text, launch({512, 1, 1}));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].certainty, Certainty::exact);
  ASSERT_EQ(s[0].instances.size(), 5u);
  EXPECT_EQ(formula(s[0], 0), "tx");
  EXPECT_EQ(formula(s[0], 2), "128*(t/32) + (t%32)");
  EXPECT_EQ(formula(s[0], 3), "32*(t/8) + (t%8)");  // 4 * stride * ty + tx
  EXPECT_EQ(formula(s[0], 4), "8*(t/2) + (t%2)");
  EXPECT_EQ(s[0].totals.accesses, 80u);
  EXPECT_EQ(s[0].totals.wavefronts, 16u * (1 + 1 + 1 + 4 + 4));  // stride 8: 4-way; stride 2: 16 pairs, 8 words apart
  const auto eight = std::find_if(s[0].patterns.begin(), s[0].patterns.end(), [](const auto& p) {
    return p.words[0] == 0 && p.words[7] == 7 && p.words[8] == 32 && p.words[31] == 103;
  });
  ASSERT_NE(eight, s[0].patterns.end());
  EXPECT_EQ(eight->words[16], 64u);
}

TEST(Analysis, address_from_memory_is_refused_with_its_line) {
  const std::string text =
      kernel("mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r5, [%rd3];\n" + address("%r5") +
             "atom.shared.add.u32 %r11, [%r10], 1;\nst.shared.u32 [%r4], %r11;\n");
  const auto s = sites(text, launch({64, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].certainty, Certainty::unknown);
  EXPECT_EQ(s[0].reason, "depends on data loaded at PTX line 9 (ld.global.u32)");
  EXPECT_EQ(s[0].arrays, std::vector<uint32_t>{0});  // it is an access of tile all the same
  EXPECT_EQ(s[1].certainty, Certainty::exact);
  EXPECT_EQ(formula(s[1]), "0");
}

const std::string kTileLoop =
    "mov.u32 %r5, 0; mov.u32 %r6, %r2;\n"
    "LOOP: setp.ge.u32 %p1, %r5, %r1; @%p1 bra DONE;\n" +
    address("%r6") + "ld.shared.u32 %r11, [%r10];\nadd.s32 %r6, %r6, 32; add.s32 %r5, %r5, 1; bra LOOP;\n" +
    "DONE: shl.b32 %r9, %r2, 5; add.s32 %r10, %r4, %r9; st.shared.u32 [%r10], %r9;\n";

TEST(Analysis, loop_of_unknown_length_is_any_iteration) {
  const auto s = sites(kernel(kTileLoop), launch({64, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].certainty, Certainty::each);
  EXPECT_TRUE(s[0].shifted);
  EXPECT_EQ(s[0].loops.size(), 1u);
  EXPECT_EQ(formula(s[0]), "tx + 32*k9");  // PTX line 9 is where the loop begins
  EXPECT_EQ(s[0].totals.accesses, 2u);     // of one iteration
  EXPECT_EQ(s[0].totals.wavefronts, 2u);
  EXPECT_EQ(s[1].certainty, Certainty::exact);
  EXPECT_EQ(s[1].totals.wavefronts, 16u);
}

TEST(Analysis, known_parameter_makes_a_loop_exact) {
  Launch l = launch({64, 1, 1});
  l.parameters[{"n", 0}] = 5;
  const auto s = sites(kernel(kTileLoop), l);
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].certainty, Certainty::exact);
  EXPECT_EQ(s[0].totals.accesses, 10u);
  EXPECT_EQ(formula(s[0], 4), "tx + 128");
  EXPECT_EQ(loop_factors(s[0].instances), std::vector<int64_t>{128});  // bytes: 32 words more in each iteration
}

TEST(Analysis, stride_that_grows_in_a_loop_of_unknown_length_is_refused) {
  const std::string text = kernel("mov.u32 %r5, 1; mov.u32 %r6, 0;\nLOOP: mul.lo.s32 %r7, %r5, %r2;" + address("%r7") +
                                  "ld.shared.u32 %r11, [%r10];\nshl.b32 %r5, %r5, 1; add.s32 %r6, %r6, 1; setp.lt.u32 "
                                  "%p1, %r6, %r1; @%p1 bra LOOP;\n");
  const auto s = sites(text, launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].certainty, Certainty::unknown);
  EXPECT_EQ(s[0].reason, "the distance between lanes depends on 4*what the loop at PTX line 9 adds, which is unknown");
}

TEST(Analysis, cta_index_only_shifts) {
  // Word 32*ctaid.x + tx: whatever the CTA, its lanes are neighbours.
  const std::string body = "mov.u32 %r5, %ctaid.x; shl.b32 %r6, %r5, 5; add.s32 %r6, %r6, %r2;" + address("%r6") +
                           "st.shared.u32 [%r10], %r2;\n";
  const auto s = sites(kernel(body), launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].certainty, Certainty::exact);
  EXPECT_TRUE(s[0].shifted);
  EXPECT_EQ(formula(s[0]), "tx + 32*ctaid.x");
  EXPECT_EQ(agreement(kernel(body), launch({32, 1, 1}, Extent{4, 1, 1}), 0), 1u);
}

TEST(Analysis, bytes_shifted_within_a_word_are_refused) {
  const std::string text =
      kernel("mov.u32 %r5, %ctaid.x; add.s32 %r6, %r5, %r2; add.s32 %r10, %r4, %r6;\nst.shared.u8 [%r10], %r2;\n");
  const auto s = sites(text, launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].certainty, Certainty::unknown);
  EXPECT_EQ(s[0].reason, "where the lanes lie within a word depends on ctaid.x");
}

TEST(Analysis, guard_that_is_not_known_is_said) {
  const std::string text = kernel(
      "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r5, [%rd3]; setp.gt.s32 %p1, %r5, 0;\n" +
      address("%r2") + "@%p1 st.shared.u32 [%r10], %r5;\n@%p1 bra BEHIND; st.shared.u32 [%r10], %r5;\nBEHIND:");
  const auto s = sites(text, launch({64, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  for (const Site& site : s) {
    EXPECT_EQ(site.certainty, Certainty::assumed);
    EXPECT_EQ(site.assumptions.size(), 1u);
    EXPECT_EQ(site.totals.wavefronts, 2u);
  }
}

TEST(Analysis, value_from_either_side_of_an_unknown_branch_is_unknown) {
  const std::string text = kernel(
      "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3]; setp.gt.s32 %p1, %r5, 0;\n"
      "mov.u32 %r6, %r2; mov.u32 %r7, 5;\n@%p1 bra BEHIND;\nadd.s32 %r6, %r6, 1; mov.u32 %r7, 5;\nBEHIND:" +
      address("%r6") + "ld.shared.u32 %r11, [%r10];\n" + address("%r7") + "ld.shared.u32 %r11, [%r10];\n");
  const auto s = sites(text, launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].certainty, Certainty::unknown);
  EXPECT_EQ(s[0].reason, "differs between paths that part at PTX line 10");
  EXPECT_EQ(s[1].certainty, Certainty::exact);  // 5 on both sides
}

TEST(Analysis, instruction_behind_known_branch_is_not_reached) {
  const auto s = sites(kernel("setp.gt.u32 %p1, %r2, 100; @!%p1 bra BEHIND;\nst.shared.u32 [%r4], %r2;\nBEHIND:"),
                       launch({64, 1, 1}));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].certainty, Certainty::unreached);
}

TEST(Analysis, positions_and_lengths_of_bit_fields_count_modulo_256_of_32_bits_only) {
  // 127 >> 2 = 31, and nothing at position 256; of 32 bits 258 is 2 and 256 is 0. As an H200 has it.
  const std::string text = kernel(
      "mov.b64 %rd2, 127; bfe.u64 %rd3, %rd2, 2, 256; bfe.u64 %rd4, %rd2, 256, 7; bfi.b64 %rd5, %rd2, %rd3, 256, 7;\n"
      "cvt.u32.u64 %r5, %rd3; cvt.u32.u64 %r6, %rd4; add.s32 %r5, %r5, %r6; cvt.u32.u64 %r6, %rd5;\n"
      "add.s32 %r5, %r5, %r6; add.s32 %r5, %r5, %r2;\n" +
      address("%r5") + "ld.shared.u32 %r11, [%r10];\n" +
      "mov.b32 %r5, 127; bfe.u32 %r6, %r5, 258, 257; bfe.u32 %r7, %r5, 2, 256; add.s32 %r6, %r6, %r7;\n" +
      "add.s32 %r6, %r6, %r2;\n" + address("%r6") + "ld.shared.u32 %r11, [%r10];\n");
  const auto s = sites(text, launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(formula(s[0]), "tx + 62");  // 31 + 0 + 31
  EXPECT_EQ(formula(s[1]), "tx + 1");
}

TEST(Analysis, generic_address_made_of_shared_memory_is_followed) {
  const std::string text = kernel(
      "mov.u64 %rd4, tile; cvta.shared.u64 %rd5, %rd4; mul.wide.u32 %rd6, %r2, 8; add.s64 %rd7, %rd5, %rd6;\n"
      "st.u32 [%rd7+4], %r2;\nst.u32 [%rd1], %r2;\n");
  const auto s = sites(text, launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 1u);  // the other store is through a parameter
  EXPECT_EQ(s[0].certainty, Certainty::exact);
  EXPECT_EQ(formula(s[0]), "2*tx + 1");
  EXPECT_EQ(s[0].totals.wavefronts, 2u);
  EXPECT_EQ(agreement(text, launch({32, 1, 1}, Extent{1, 1, 1}), 0), 1u);
}

TEST(Analysis, wide_accesses_have_phases) {
  const std::string text = kernel(
      "shl.b32 %r5, %r2, 4; add.s32 %r10, %r4, %r5;\nld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r10];\n"
      "ld.shared.f64 %d1, [%r10];\n");
  const auto s = sites(text, launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].totals.wavefronts, 4u);  // four quarter-warps, each all banks
  EXPECT_EQ(s[1].totals.wavefronts, 4u);  // two half-warps, lanes four words apart: two each
  EXPECT_EQ(s[1].totals.ideal, 2u);
}

TEST(Analysis, endless_loop_ends_the_analysis) {
  const auto s = sites(kernel("LOOP: st.shared.u32 [%r4], %r2;\nbra LOOP;"), launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 1u);
  EXPECT_EQ(s[0].certainty, Certainty::each);
}

TEST(Analysis, rejects_branches_that_nest_without_end) {
  std::string body = "mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r5, [%rd3];\n", ends;
  for (int k = 0; k < 3000; ++k) {
    body += "setp.gt.s32 %p1, %r5, " + std::to_string(k) + "; @%p1 bra L" + std::to_string(k) + ";\n";
    ends = "L" + std::to_string(k) + ":\n" + ends;
  }
  const auto result = analysed(kernel(body + ends), launch({32, 1, 1}));
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("nest too deeply"), std::string::npos);
}

TEST(Analysis, rejects_launches_that_do_not_fit) {
  const std::string text = kernel("");
  EXPECT_FALSE(analysed(text, launch({0, 1, 1})));
  EXPECT_FALSE(analysed(text, launch({1025, 1, 1})));
  Launch l = launch({32, 1, 1});
  l.parameters[{"m", 0}] = 1;
  const auto result = analysed(text, l);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "kernel k has no parameter 'm'");
}

TEST(AnalysisAgrees, with_the_engine_on_the_examples) {
  EXPECT_EQ(agreement(kernel(kReduction), launch({256, 1, 1}, Extent{2, 1, 1}), 0), 2u);
  Launch l = launch({64, 2, 1}, Extent{3, 1, 1});
  l.parameters[{"n", 0}] = 7;
  EXPECT_EQ(agreement(kernel(kTileLoop), l, 7), 2u);
}

TEST(AnalysisAgrees, where_every_cta_differs) {
  // if (32 * ctaid.x + tx < n) tile[tx * ctaid.x] = …: guards and strides that only the grid and n tell.
  const std::string text = kernel(
      "mov.u32 %r5, %ctaid.x; mad.lo.s32 %r6, %r5, 32, %r2; setp.ge.s32 %p1, %r6, %r1; @%p1 bra DONE;\n"
      "mul.lo.s32 %r7, %r2, %r5;" +
      address("%r7") + "st.shared.u32 [%r10], %r2;\nDONE:");
  Launch l = launch({32, 1, 1}, Extent{6, 1, 1});
  EXPECT_EQ(agreement(text, l, 150), 0u);
  l.parameters[{"n", 0}] = 150;
  EXPECT_EQ(agreement(text, l, 150), 1u);
}

TEST(Analysis, matrices_are_listed_and_not_followed) {
  const auto s = sites(kernel("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];\n"
                              "shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r4; ld.shared.u32 %r7, [%r6];"),
                       launch({32, 1, 1}));
  ASSERT_EQ(s.size(), 2u);
  EXPECT_EQ(s[0].certainty, Certainty::unknown);
  EXPECT_EQ(s[0].reason,
            "lanes of ldmatrix.sync.aligned.m8n8.x1.shared.b16 access lines of matrices, which is not followed");
  EXPECT_EQ(s[1].reason, "depends on data loaded at PTX line 8 (ldmatrix.sync.aligned.m8n8.x1.shared.b16)")
      << "lanes get different words of one line";
}

}  // namespace
}  // namespace bankshot::analysis
