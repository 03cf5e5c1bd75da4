// Rewritten kernels compute what the originals do: cases by hand, run by the engine.
#include "rewrite_harness.hpp"

namespace bankshot::rewrite {
namespace {

/// A kernel of this body: `other` (100 bytes) lies before `tile`, so that a row's alignment is all that `tile` has.
std::string program(const std::string& body, const std::string& tile = ".shared .align 16 .b8 tile[24576];\n") {
  return ptx::kHeader + (tile.starts_with(".extern") ? tile : "") +
         ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<8>;\n"
         ".shared .align 4 .b8 other[100];\n" +
         (tile.starts_with(".extern") ? "" : tile) +
         "mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r20, 0; st.shared.u32 [other+96], 5;\n" + body +
         "\nbar.sync 0; ld.shared.u32 %r21, [other+96]; mad.lo.u32 %r20, %r20, 3, %r21;\n"
         "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], "
         "%r20;\nret;\n}\n";
}

void expect_same(const std::string& text, const Move& move, uint32_t dynamic_bytes = 0) {
  std::string why;
  const std::string changed = rewritten(text, "tile", move, &why);
  ASSERT_EQ(why, "");
  EXPECT_EQ(run(text, dynamic_bytes), run(changed, dynamic_bytes)) << changed;
}

void expect_same(const std::string& body) {
  for (const char* spec :
       {"xor", "swizzle:2,1,4", "bitxor:0^9,1^5,2^13,3^7,4^6", "rows:35,66,132,8,16", "rows:3,2,132,24,8"}) {
    SCOPED_TRACE(spec);
    expect_same(program(body), hash_of(spec));
    for (const uint32_t bytes : {24576u, 24580u}) {
      expect_same(program(body, ".extern .shared .align 16 .b8 tile[];\n"), hash_of(spec), bytes);
    }
  }
  for (const auto& [row, words] : {std::pair(8u, 1u), {32u, 1u}, {32u, 4u}, {64u, 3u}, {1024u, 8u}}) {
    SCOPED_TRACE(testing::Message() << row << " + " << words);
    expect_same(program(body), padding_of(row, words));
  }
}

TEST(RewriteRun, distances_of_many_zeros_in_an_array_that_is_aligned_to_a_row_only) {
  // Multiples of 1024: offset 192 is beyond the row, and bit 7 of the array's start is set.
  expect_same(
      "and.b32 %r13, %r1, 7; shl.b32 %r3, %r13, 10; add.s32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1;\n"
      "st.shared.u32 [%r4+192], 77; st.shared.u32 [%r4+132], 5; bar.sync 0; ld.shared.u32 %r20, [%r4];\n"
      "mul.lo.u32 %r5, %r1, 4; add.s32 %r6, %r2, %r5; st.shared.u32 [%r6+8192], %r20; bar.sync 0;\n"
      "add.s32 %r7, %r2, 0; ld.shared.u32 %r8, [%r7+192]; mad.lo.u32 %r20, %r20, 7, %r8;");
}

TEST(RewriteRun, addresses_from_the_end_of_the_array) {
  expect_same(
      "shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, 8192; sub.s32 %r5, %r4, %r3; st.shared.u32 [%r5+-4], %r1; bar.sync 0;\n"
      "add.s32 %r6, %r2, %r3; ld.shared.u32 %r20, [%r6+7936];\n"
      "mov.u32 %r7, tile+8192; st.shared.u32 [%r7+-8], 9; bar.sync 0;\n"
      "add.s32 %r8, %r2, -128; add.s32 %r9, %r8, %r3; add.s32 %r9, %r9, %r3; ld.shared.u32 %r10, [%r9+8060];\n"
      "mad.lo.u32 %r20, %r20, 5, %r10;");
}

TEST(RewriteRun, addresses_that_are_written_under_guards_and_on_one_branch_only) {
  expect_same(
      "shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1; st.shared.u32 [%r4+256], 3; bar.sync 0;\n"
      "setp.lt.u32 %p1, %r1, 20; setp.lt.u32 %p2, %r1, 40; mov.u32 %r5, %r2;\n"
      "@%p1 add.s32 %r5, %r2, %r3; @%p2 bra skip;\n"
      "add.s32 %r5, %r2, 260;\nskip: ld.shared.u32 %r20, [%r5+12]; @!%p1 mov.u32 %r5, tile+192;\n"
      "@%p1 add.s32 %r5, %r5, %r3; ld.shared.u32 %r6, [%r5]; mad.lo.u32 %r20, %r20, 5, %r6;\n"
      "sub.s32 %r7, %r5, %r2; add.s32 %r20, %r20, %r7;");
}

TEST(RewriteRun, bytes_and_vectors_and_atomics) {
  const std::string body =
      "shl.b32 %r3, %r1, 4; add.s32 %r4, %r2, %r3; st.shared.v4.u32 [%r4+1024], {%r1, %r3, 7, %r1};\n"
      "bar.sync 0; mov.u64 %rd3, tile; cvt.u64.u32 %rd4, %r1; add.s64 %rd5, %rd3, %rd4; cvta.shared.u64 %rd6, %rd5;\n"
      "ld.u8 %r5, [%rd6+1025]; st.shared.u8 [%rd5+4097], %r5; bar.sync 0; ld.shared.s8 %r6, [%rd5+4097]; bar.sync 0;\n"
      "and.b32 %r7, %r1, 60; add.s32 %r8, %r2, %r7; atom.shared.cas.b32 %r9, [%r8+4096], 0, 1; atom.shared.add.u32 "
      "%r9, [%r8+2048], 1;\n"
      "bar.sync 0; ld.shared.u32 %r10, [%r8+2048]; red.shared.max.u32 [%r8+2048], 40; mad.lo.u32 %r20, %r5, 9, %r6; "
      "add.s32 %r20, %r20, %r10;";
  for (const char* spec : {"swizzle:3,2,3", "bitxor:0,1,2^9,3^7,4^6"}) {
    SCOPED_TRACE(spec);
    expect_same(program(body), hash_of(spec));
    expect_same(program(body, ".extern .shared .align 16 .b8 tile[];\n"), hash_of(spec), 24576);
  }
  expect_same(program(body), padding_of(16, 4));
}

TEST(RewriteRun, asynchronous_copies) {
  // Each thread copies 16 bytes to its place, the second half 8 of them and zeros; then threads read columns.
  const std::string body =
      "ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
      "mad.lo.u32 %r5, %r1, 77, 3; st.global.u32 [%rd3], %r5; bar.sync 0; and.b32 %r6, %r1, 15; mul.wide.u32 %rd4, "
      "%r6, "
      "16;\n"
      "add.s64 %rd5, %rd1, %rd4; shl.b32 %r3, %r1, 6; add.s32 %r4, %r2, %r3; setp.gt.u32 %p1, %r1, 31; selp.b32 %r7, "
      "8, "
      "16, %p1;\n"
      "cp.async.cg.shared.global [%r4], [%rd5], 16; cp.async.ca.shared.global [%r4+32], [%rd5], 16, %r7;\n"
      "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;\n"
      "and.b32 %r8, %r1, 3; shl.b32 %r9, %r8, 2; shr.u32 %r10, %r1, 2; shl.b32 %r10, %r10, 6; add.s32 %r9, %r9, %r10;\n"
      "add.s32 %r14, %r9, %r2; ld.shared.u32 %r11, [%r14]; ld.shared.u32 %r12, [%r14+32]; ld.shared.u32 %r13, "
      "[%r14+3104];\n"
      "mad.lo.u32 %r20, %r11, 9, %r12; mad.lo.u32 %r20, %r20, 9, %r13;";
  expect_same(program(body), hash_of("swizzle:3,2,3"));
  expect_same(program(body, ".extern .shared .align 16 .b8 tile[];\n"), hash_of("swizzle:3,2,3"), 24576);
  expect_same(program(body), padding_of(16, 4));
}

}  // namespace
}  // namespace bankshot::rewrite
