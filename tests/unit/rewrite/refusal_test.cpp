// Every reason for which an array is left alone.
#include "rewrite_harness.hpp"

namespace bankshot::rewrite {
namespace {

/// Why `array` of this kernel body is left alone; "" if it is not. Bodies begin in line 8 of the text.
std::string refusal(const std::string& body, const std::string& array = "tile", const std::string& before = {},
                    const std::string& spec = "xor") {
  std::string why;
  rewritten(kernel_text(body, before), array, spec, &why);
  return why;
}

const std::string kUse =
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n";

TEST(RewriteRefusal, what_is_followed_is_not_refused) {
  EXPECT_EQ(refusal(kUse), "");
  EXPECT_EQ(
      refusal(
          kUse +
          "sub.s32 %r5, %r4, %r3; setp.lt.u32 %p1, %r4, %r5; selp.b32 %r6, %r4, %r3, %p1; ld.shared.u32 %r7, [%r6+4];"),
      "");
  EXPECT_EQ(refusal("mov.u64 %rd1, tile; cvta.shared.u64 %rd2, %rd1; ld.u32 %r1, [%rd2+8]; cvta.to.shared.u64 %rd3, "
                    "%rd2; ld.shared.u32 %r2, [%rd3];"),
            "");
  EXPECT_EQ(refusal("mov.u32 %r1, even; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r2, 8, %r1; or.b32 %r4, %r3, 4; and.b32 "
                    "%r5, %r4, -16;"
                    "ld.shared.u32 %r6, [%r5]; and.b32 %r7, %r4, 0xfffffff0;",
                    "even", ".shared .align 16 .b8 even[4096];\n"),
            "");
}

TEST(RewriteRefusal, rejects_an_address_that_is_stored) {
  EXPECT_EQ(refusal(kUse + "ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r4;"),
            "array tile is left alone: its address is stored by st.global.u32 (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "atom.shared.exch.b32 %r5, [other], %r4;"),
            "array tile is left alone: its address is stored by atom.shared.exch.b32 (PTX line 9)");
}

TEST(RewriteRefusal, rejects_arrays_whose_matrices_are_loaded_or_stored) {
  EXPECT_EQ(refusal(kUse + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4]; add.s32 %r6, %r5, %r5;"),
            "array tile is left alone: ldmatrix.sync.aligned.m8n8.x1.shared.b16 on it is not rewritten (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r1};"),
            "array tile is left alone: stmatrix.sync.aligned.m8n8.x1.shared.b16 on it is not rewritten (PTX line 9)");
  EXPECT_EQ(
      refusal(kUse + "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {%r5, %r6}, [%r3], 16;"),
      "array tile is left alone: wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 on it is not rewritten (PTX line 9)");
}

TEST(RewriteRefusal, rejects_an_address_that_is_passed_to_a_function) {
  EXPECT_EQ(refusal(kUse + "{ .param .b32 a; st.param.b32 [a], %r4; call f, (a); }", "tile",
                    ".extern .func f(.param .b32 a);\n"),
            "array tile is left alone: its address is stored by st.param.b32 (PTX line 10)");
  EXPECT_EQ(refusal(kUse + "call f, (%r4);", "tile", ".extern .func f(.reg .b32 a);\n"),
            "array tile is left alone: its address is passed to a function (PTX line 10)");
}

TEST(RewriteRefusal, rejects_arithmetic_that_is_not_followed) {
  EXPECT_EQ(refusal(kUse + "shr.u32 %r5, %r4, 4;"),
            "array tile is left alone: its address goes through shr.u32, which is not followed (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "xor.b32 %r5, %r4, %r1; ld.shared.u32 %r6, [%r5];"),
            "array tile is left alone: its address goes through xor.b32, which is not followed (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "and.b32 %r5, %r4, 127;"),
            "array tile is left alone: its address goes through and.b32, which is not followed (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "or.b32 %r5, %r4, 4;"),  // 4-byte aligned distance: the bit may be set already
            "array tile is left alone: its address goes through or.b32, which is not followed (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "sub.s32 %r5, %r1, %r4;"),
            "array tile is left alone: its address goes through sub.s32, which is not followed (PTX line 9)");
  EXPECT_EQ(refusal("mov.u64 %rd1, tile; cvta.shared.u64 %rd2, %rd1; cvt.u32.u64 %r1, %rd2;"),
            "array tile is left alone: its address goes through cvt.u32.u64, which is not followed (PTX line 8)");
}

TEST(RewriteRefusal, rejects_bits_of_an_address_that_the_start_of_the_array_decides) {
  // `tile` is aligned to 4 bytes: what these do to its addresses changes when it is aligned to a row.
  EXPECT_EQ(refusal("mov.u32 %r3, tile; or.b32 %r4, %r3, 4; ld.shared.u32 %r5, [%r4];"),
            "array tile is left alone: its address goes through or.b32, which is not followed (PTX line 8)");
  EXPECT_EQ(refusal(kUse + "add.s32 %r5, %r4, 15; and.b32 %r6, %r5, -16; ld.shared.u32 %r7, [%r6];"),
            "array tile is left alone: its address goes through and.b32, which is not followed (PTX line 9)");
}

TEST(RewriteRefusal, rejects_accesses_that_may_be_of_something_else) {
  EXPECT_EQ(
      refusal(kUse +
              "mov.u32 %r5, other; setp.eq.u32 %p1, %r1, 0; selp.b32 %r6, %r4, %r5, %p1; ld.shared.u32 %r7, [%r6];"),
      "array tile is left alone: ld.shared.u32 may access it or something else (PTX line 9)");
  // On one path it is another value: the order of instructions does not matter.
  EXPECT_EQ(refusal(kUse + "@%p1 mov.u32 %r4, 0;"),
            "array tile is left alone: the address of st.shared.u32 comes from no shared variable, so that it may be "
            "anywhere (PTX line 8)");
  EXPECT_EQ(refusal(kUse + "ld.shared.u32 %r5, [16];"),
            "array tile is left alone: the address of ld.shared.u32 comes from no shared variable, so that it may be "
            "anywhere (PTX line 9)");
  EXPECT_EQ(refusal("mov.u64 %rd1, tile; ld.u32 %r1, [%rd1];"),
            "array tile is left alone: ld.u32 takes another kind of address than it gets (PTX line 8)");
}

TEST(RewriteRefusal, rejects_shared_addresses_that_are_made_of_numbers) {
  // A generic access by it does not name the space.
  EXPECT_EQ(refusal(kUse + "mov.u64 %rd1, 16; cvta.shared.u64 %rd2, %rd1; ld.u32 %r5, [%rd2];"),
            "array tile is left alone: a number is made an address by cvta.shared.u64, which may be anywhere in shared "
            "memory (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "ld.param.u64 %rd1, [out]; cvta.global.u64 %rd2, %rd1; st.u32 [%rd2], %r1;"), "");
}

TEST(RewriteRefusal, generic_accesses_by_other_addresses_do_no_harm) {
  EXPECT_EQ(refusal(kUse + "ld.param.u64 %rd1, [out]; ld.u64 %rd2, [%rd1]; st.u32 [%rd2], %r1;"), "");
}

TEST(RewriteRefusal, rejects_instructions_that_cannot_be_given_another_address) {
  EXPECT_EQ(refusal(kUse + "ld.param.u64 %rd1, [out]; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 16;"),
            "array tile is left alone: its address goes through cp.async.bulk.global.shared::cta.bulk_group, which is "
            "not followed (PTX line 9)");
  EXPECT_EQ(refusal(kUse + "mbarrier.init.shared.b64 [tile], 1;"),
            "array tile is left alone: its address goes through mbarrier.init.shared.b64, which is not followed (PTX "
            "line 9)");
  EXPECT_EQ(refusal(kUse + "ld.shared::cluster.u32 %r5, [%r4];"),
            "array tile is left alone: ld.shared::cluster.u32 on it is not rewritten (PTX line 9)");
}

TEST(RewriteRefusal, copies_to_an_array_are_rewritten_if_all_of_it_is_known) {
  const std::string from = kUse + "ld.param.u64 %rd1, [out]; ";
  EXPECT_EQ(refusal(from + "cp.async.ca.shared.global [%r4], [%rd1], 4; cp.async.wait_all;"), "");
  EXPECT_EQ(refusal(from + "cp.async.ca.shared.global [%r4], [%rd1], 4, %r1;"), "");
  EXPECT_EQ(
      refusal(from + "cp.async.ca.shared.global [%r1], [%rd1], 4;"),
      "array tile is left alone: the address of cp.async.ca.shared.global comes from no shared variable, so that it "
      "may be anywhere (PTX line 9)");
  EXPECT_EQ(refusal(from + "cp.async.cg.shared.global [%r4], [%rd1], 16;"),
            "array tile is left alone: cp.async.cg.shared.global accesses 16 bytes at once, which the hash takes apart "
            "(PTX line 9)");
}

TEST(RewriteRefusal, rejects_what_functions_use) {
  const std::string before =
      ".shared .align 4 .b8 both[256];\n.func f() { .reg .b32 %r<2>; ld.shared.u32 %r1, [both]; ret; }\n";
  EXPECT_EQ(refusal("st.shared.u32 [both+4], 1; call f;", "both", before),
            "array both is left alone: a function that is called by kernels uses it, too");
  EXPECT_EQ(refusal(kUse + "call f;", "tile", before), "");
  EXPECT_EQ(refusal(kUse + "call g;", "tile",
                    ".func g() { .reg .b32 %r<2>; mov.u32 %r1, 8; ld.shared.u32 %r1, [%r1]; ret; }\n"),
            "array tile is left alone: a function is called, and g accesses shared memory by an address (PTX line 10)");
}

TEST(RewriteRefusal, rejects_accesses_wider_than_what_the_hash_keeps_together) {
  const std::string wide = "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [tile+16];";
  EXPECT_EQ(
      refusal(kUse + wide),
      "array tile is left alone: ld.shared.v4.u32 accesses 16 bytes at once, which the hash takes apart (PTX line 9)");
  EXPECT_EQ(refusal(kUse + wide, "tile", {}, "swizzle:3,2,3"), "");
  EXPECT_EQ(
      refusal(kUse + wide, "tile", {}, "swizzle:3,1,4"),
      "array tile is left alone: ld.shared.v4.u32 accesses 16 bytes at once, which the hash takes apart (PTX line 9)");
}

TEST(RewriteRefusal, rejects_hashes_that_software_cannot_apply_in_place) {
  EXPECT_EQ(refusal(kUse, "tile", {}, "add"), "array tile is left alone: ADD is not an XOR hash");
  EXPECT_EQ(
      refusal(kUse, "tile", {}, "perm:3"),
      "array tile is left alone: the hash does not permute the words of each row: software would need extra memory");
  EXPECT_EQ(refusal(kUse, "tile", {}, "none"), "array tile is left alone: the hash leaves every word where it is");
}

TEST(RewriteRefusal, rejects_accesses_outside_the_array) {
  EXPECT_EQ(refusal(kUse + "ld.shared.u32 %r5, [tile+4094];"),
            "array tile is left alone: ld.shared.u32 accesses bytes outside it (PTX line 9)");
}

TEST(RewriteRefusal, rejects_arrays_of_kernels_that_read_how_much_shared_memory_there_is) {
  // 4,096 bytes are whole rows, but once they are aligned to rows they no longer begin at byte 100.
  const std::string reads = "st.shared.u32 [other], 1; mov.u32 %r9, %total_smem_size;";
  for (const char* array : {"other", "tile"}) {
    EXPECT_EQ(refusal(kUse + reads, array), "array " + std::string(array) +
                                                " is left alone: the kernel reads how much shared memory it has, which "
                                                "aligning the array to rows may change");
  }
}

TEST(RewriteRefusal, rejects_names_that_mean_several_things) {
  EXPECT_EQ(refusal("{ .shared .align 4 .b8 inner[256]; st.shared.u32 [inner], 1; }", "inner"),
            "array inner is left alone: it is declared inside a block, after the first instruction or twice");
}

TEST(RewriteRefusal, a_line_of_the_toolkit_is_told_where_it_was_called) {
  const std::string files = ".file 1 \"/home/me/app.cu\"\n.file 2 \"/usr/local/cuda/include/sm_32_intrinsics.hpp\"\n";
  const std::string at = ".loc 1 12 5\n" + kUse + ".loc 2 99 7, function_name f, inlined_at 1 12 5\n";
  std::string why;
  rewritten(kernel_text(at + "shr.u32 %r5, %r4, 4;", files) + ".section .debug_str { f: .b8 0 }\n", "tile", "xor",
            &why);
  EXPECT_EQ(why, "array tile is left alone: its address goes through shr.u32, which is not followed (app.cu:12)");
}

TEST(RewriteRefusal, what_has_line_0_is_told_with_the_functions_first_line) {
  std::string why;
  rewritten(kernel_text(".loc 1 0 3\n" + kUse + "shr.u32 %r5, %r4, 4;\n.loc 1 12 5\n", ".file 1 \"app.cu\"\n"), "tile",
            "xor", &why);
  EXPECT_EQ(why, "array tile is left alone: its address goes through shr.u32, which is not followed (app.cu:12)");
}

TEST(RewriteRefusal, rejects_what_is_not_there) {
  EXPECT_EQ(refusal(kUse, "tiles"), "there is no shared array tiles in kernel k");
  ptx::Module module = ptx::parsed(kernel_text(kUse));
  EXPECT_EQ(rewrite(module, "kk", {}, 4).error().message, "there is no kernel kk in the PTX");
  EXPECT_EQ(rewrite(module, "k", {{"tile", hash_of("xor")}, {"tile", hash_of("xor")}}, 4).error().message,
            "array tile is to be moved twice");
}

}  // namespace
}  // namespace bankshot::rewrite
