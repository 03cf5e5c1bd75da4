// What rewriting writes.
#include <numeric>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/rewrite/place_terms.hpp"
#include "rewrite_harness.hpp"

namespace bankshot::rewrite {
namespace {

/// The instructions of a text, one a line, without declarations.
std::string instructions(const std::string& text) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end == std::string::npos ? text.size() : end + 1;
    if (line.starts_with("\t") && line[1] != '.') out += line.substr(1) + "\n";
  }
  return out;
}

TEST(RewritePlaces, terms_are_the_hash_in_bytes) {
  // place(a) = a ^ (a >> 5 & 31) in words.
  const PlaceTerms terms = place_terms(hash_of("xor"), 4);
  ASSERT_EQ(terms.terms.size(), 1u);
  EXPECT_EQ(terms.terms[0].shift, 5);
  EXPECT_EQ(terms.terms[0].mask, 31u << 2);
  EXPECT_EQ(terms.row_bytes, 128u);
  EXPECT_EQ(terms.period, 4096u);                   // word bits 5 to 9 move others: byte bits 7 to 11
  EXPECT_EQ(terms.place(33 * 4 + 2), 32 * 4 + 2u);  // word 33 is in row 1, column 1: column 1 ^ 1
  EXPECT_EQ(terms.place(2 * 128 + 12), 2 * 128 + 4u);
}

TEST(RewritePlaces, every_in_place_hash_permutes_every_row) {
  for (const char* spec :
       {"xor", "swizzle:2,1,4", "bitxor:0^9,1^5,2^13,3^7,4^6", "rows:35,66,132,8,16", "rows:3,2,132,24,8"}) {
    const PlaceTerms terms = place_terms(hash_of(spec), 4);
    const scratchpad::BankHash hash = hash_of(spec);
    for (uint32_t row = 0; row < 512; ++row) {
      uint32_t seen = 0;
      for (uint32_t low = 0; low < 32; ++low) {
        const uint32_t word = row * 32 + low, place = terms.place(word * 4 + 3);
        EXPECT_EQ(place / 4 / 32, row);
        EXPECT_EQ(place % 4, 3u);
        EXPECT_EQ(place / 4 % 32, hash.bank(word)) << spec;
        seen |= 1u << (place / 4 % 32);
      }
      ASSERT_EQ(seen, 0xffffffffu) << spec;
    }
  }
}

TEST(RewritePlaces, low_bits_that_no_term_touches_stay_together) {
  EXPECT_EQ(place_terms(hash_of("xor"), 4).unbroken, 4u);
  EXPECT_EQ(place_terms(hash_of("swizzle:3,1,4"), 4).unbroken, 8u);
  EXPECT_EQ(place_terms(hash_of("swizzle:3,2,3"), 4).unbroken, 16u);
  EXPECT_EQ(place_terms(hash_of("rows:1,3,4,8,16"), 4).unbroken, 4u);  // bank bit 1 takes address bit 0
  EXPECT_EQ(place_terms(hash_of("xor", {14, 4}), 8).unbroken, 8u);     // eight-byte banks
}

TEST(RewritePlaces, rows_of_padding_are_longer) {
  const PlaceTerms terms = place_terms(padding_of(32, 1));
  EXPECT_EQ(terms.place(4 * 31 + 3), 127u);
  EXPECT_EQ(terms.place(128), 132u);
  EXPECT_EQ(terms.place(5 * 128 + 8), 5 * 132 + 8u);
  EXPECT_EQ(terms.place(-128u), -132u);  // a register may lie before the array, with offsets that lead into it
  EXPECT_EQ(terms.size(4096), 4224u);
  EXPECT_EQ(terms.size(100), 132u);
  EXPECT_EQ(terms.unbroken, 128u);
}

TEST(Rewrite, accesses_that_ptxas_joins_keep_one_address) {
  // %r4 is a multiple of 16 from the array's start, and the hash leaves 16 bytes together.
  const std::string body =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 4; add.s32 %r4, %r2, %r3;\n"
      "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4]; ld.shared.f32 %f3, [%r4+8];";
  EXPECT_EQ(instructions(rewritten(kernel_text(body), "tile", "swizzle:3,2,3")),
            "mov.u32 %bankshot0, tile;\n"
            "mov.u32 %r1, %tid.x;\n"
            "mov.u32 %r2, tile;\n"
            "shl.b32 %r3, %r1, 4;\n"
            "add.s32 %r4, %r2, %r3;\n"
            "shr.u32 %bankshot2, %r3, 3;\n"
            "and.b32 %bankshot3, %bankshot2, 112;\n"
            "xor.b32 %bankshot1, %r4, %bankshot3;\n"
            "ld.shared.f32 %f1, [%bankshot1];\n"
            "ld.shared.f32 %f2, [%bankshot1+4];\n"
            "ld.shared.f32 %f3, [%bankshot1+8];\n"
            "ret;\n");
  EXPECT_EQ(instructions(rewritten(kernel_text(body), "tile", padding_of(32, 4))),
            "mov.u32 %bankshot0, tile;\n"
            "mov.u32 %r1, %tid.x;\n"
            "mov.u32 %r2, tile;\n"
            "shl.b32 %r3, %r1, 4;\n"
            "add.s32 %r4, %r2, %r3;\n"
            "shr.s32 %bankshot2, %r3, 7;\n"
            "mad.lo.s32 %bankshot1, %bankshot2, 16, %r4;\n"
            "ld.shared.f32 %f1, [%bankshot1];\n"
            "ld.shared.f32 %f2, [%bankshot1+4];\n"
            "ld.shared.f32 %f3, [%bankshot1+8];\n"
            "ret;\n");
}

TEST(Rewrite, one_term_from_the_distance_where_the_address_is_written) {
  const std::string text =
      rewritten(kernel_text("mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 2; add.s32 %r4, %r2, %r3;\n"
                            "loop:\nst.shared.u32 [%r4], %r1; bra loop;"),
                "tile", "xor");
  EXPECT_EQ(instructions(text),
            "mov.u32 %bankshot0, tile;\n"
            "mov.u32 %r1, %tid.x;\n"
            "mov.u32 %r2, tile;\n"
            "shl.b32 %r3, %r1, 2;\n"
            "add.s32 %r4, %r2, %r3;\n"
            "shr.u32 %bankshot2, %r3, 5;\n"
            "lop3.b32 %bankshot1, %bankshot2, 124, %r4, 106;\n"
            "st.shared.u32 [%bankshot1], %r1;\n"
            "bra loop;\n"
            "ret;\n");
  EXPECT_NE(text.find(".shared .align 128 .b8 tile[4096];"), std::string::npos);
  EXPECT_NE(text.find(".shared .align 4 .b8 other[100];"), std::string::npos);
}

TEST(Rewrite, a_64_bit_address_that_changes_in_a_loop_is_hashed_where_it_changes) {
  const std::string text = rewritten(
      kernel_text("mov.u64 %rd1, tile;\nloop:\nld.shared.u32 %r1, [%rd1+4]; add.s64 %rd1, %rd1, 132; bra loop;"),
      "tile", "xor");
  EXPECT_EQ(instructions(text),
            "mov.u32 %bankshot0, tile;\n"
            "mov.u64 %rd1, tile;\n"
            "mov.u32 %bankshot1, tile+4;\n"
            "ld.shared.u32 %r1, [%bankshot1];\n"
            "add.s64 %rd1, %rd1, 132;\n"
            "cvt.u32.u64 %bankshot2, %rd1;\n"
            "sub.s32 %bankshot3, %bankshot2, %bankshot0;\n"
            "add.s32 %bankshot4, %bankshot2, 4;\n"
            "add.s32 %bankshot5, %bankshot3, 4;\n"
            "shr.u32 %bankshot6, %bankshot5, 5;\n"
            "lop3.b32 %bankshot1, %bankshot6, 124, %bankshot4, 106;\n"
            "bra loop;\n"
            "ret;\n");
}

TEST(Rewrite, constant_addresses_cost_nothing_and_whole_periods_stay_offsets) {
  // Word 65 is in row 2, column 1: column 3. 4096 bytes further on the same happens.
  const std::string text = rewritten(
      kernel_text("ld.shared.u32 %r1, [big+260]; mov.u32 %r2, %tid.x; mov.u32 %r3, big; add.s32 %r4, %r3, %r2;"
                  "ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r5, [%r4+4096]; ld.shared.u32 %r6, [%r4+-4096];",
                  ".shared .align 4 .b8 big[16384];\n"),
      "big", "xor");
  EXPECT_NE(text.find("ld.shared.u32 %r1, [big+268];"), std::string::npos);
  EXPECT_NE(text.find("ld.shared.u32 %r5, [%bankshot1];"), std::string::npos);
  EXPECT_NE(text.find("ld.shared.u32 %r5, [%bankshot1+4096];"), std::string::npos);
  EXPECT_NE(text.find("ld.shared.u32 %r6, [%bankshot1+-4096];"), std::string::npos) << text;
}

TEST(Rewrite, offsets_below_the_zeros_of_the_distance_cost_one_instruction) {
  const std::string text =
      rewritten(kernel_text("mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 6; add.s32 %r4, %r2, %r3;"
                            "ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r5, [%r4+4]; ld.shared.u32 %r6, [%r4+60];"),
                "tile", "xor");
  EXPECT_EQ(instructions(text),
            "mov.u32 %bankshot0, tile;\n"
            "mov.u32 %r1, %tid.x;\n"
            "mov.u32 %r2, tile;\n"
            "shl.b32 %r3, %r1, 6;\n"
            "add.s32 %r4, %r2, %r3;\n"
            "shr.u32 %bankshot4, %r3, 5;\n"
            "lop3.b32 %bankshot1, %bankshot4, 124, %r4, 106;\n"
            "xor.b32 %bankshot2, %bankshot1, 4;\n"
            "xor.b32 %bankshot3, %bankshot1, 60;\n"
            "ld.shared.u32 %r5, [%bankshot1];\n"
            "ld.shared.u32 %r5, [%bankshot2];\n"
            "ld.shared.u32 %r6, [%bankshot3];\n"
            "ret;\n");
}

TEST(Rewrite, the_last_row_is_filled_up) {
  ptx::Module module = ptx::parsed(kernel_text("st.shared.u32 [other+96], 1;"));
  const auto done = rewrite(module, "k", {{"other", hash_of("xor")}}, 4);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->arrays.at(0).extra_bytes, 28u);  // 100 bytes to 128
  EXPECT_EQ(done->arrays.at(0).accesses, 1u);
  EXPECT_EQ(done->arrays.at(0).added, 1u);  // the start, which nothing uses
  EXPECT_NE(ptx::print(module).find(".shared .align 128 .b8 other[128];"), std::string::npos);
}

TEST(Rewrite, tells_where_each_instruction_has_gone) {
  const std::string text = kernel_text(
      "mov.u32 %r1, %tid.x; mov.u32 %r2, tile; shl.b32 %r3, %r1, 2;\n{ add.s32 %r4, %r2, %r3; }\n"
      "ld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r4+4], %r5;");
  const ptx::Module before = ptx::parsed(text);
  ptx::Module module = ptx::parsed(text);
  const auto done = rewrite(module, "k", {{"tile", hash_of("xor")}}, 4);
  ASSERT_TRUE(done) << done.error().message;
  const ptx::Module after = ptx::parsed(ptx::print(module));
  const KernelCode old_code(before, *ptx::find_kernel(before, "k")), code(after, *ptx::find_kernel(after, "k"));
  ASSERT_EQ(done->step_after.size(), old_code.steps().size());
  EXPECT_GT(code.steps().size(), old_code.steps().size());
  for (size_t i = 0; i < old_code.steps().size(); ++i) {
    const ptx::Instruction &was = *old_code.steps()[i].instruction,
                           &is = *code.steps().at(done->step_after[i]).instruction;
    EXPECT_EQ(ptx::mnemonic(was), ptx::mnemonic(is)) << i;
    if (!was.operands.empty() && was.opcode != "st") {
      EXPECT_EQ(was.operands[0].name, is.operands[0].name) << i;
    }
  }
}

TEST(Rewrite, all_names_of_dynamic_memory_are_aligned_alike) {
  const std::string text =
      rewritten(kernel_text("st.shared.u32 [dyn+4], 1; ld.shared.u32 %r1, [words+8];",
                            ".extern .shared .align 16 .b8 dyn[];\n.extern .shared .align 4 .b32 words[];\n"),
                "dyn", "xor");
  EXPECT_NE(text.find(".shared .align 128 .b8 dyn[]"), std::string::npos) << text;
  EXPECT_NE(text.find(".shared .align 128 .b32 words[]"), std::string::npos) << text;
}

TEST(Rewrite, the_hash_of_dynamic_memory_is_off_in_launches_of_torn_rows) {
  const std::string text =
      rewritten(kernel_text("st.shared.u32 [dyn+4], 1;", ".extern .shared .align 16 .b8 dyn[];\n"), "dyn", "xor");
  EXPECT_EQ(instructions(text),
            "mov.u32 %bankshot0, dyn;\n"
            "mov.u32 %bankshot2, %dynamic_smem_size;\n"
            "and.b32 %bankshot3, %bankshot2, 127;\n"
            "setp.eq.s32 %bankshot_whole0, %bankshot3, 0;\n"
            "selp.b32 %bankshot1, 124, 0, %bankshot_whole0;\n"
            "mov.b32 %bankshot5, 4;\n"
            "add.s32 %bankshot6, %bankshot0, 4;\n"
            "shr.u32 %bankshot7, %bankshot5, 5;\n"
            "lop3.b32 %bankshot4, %bankshot7, %bankshot1, %bankshot6, 106;\n"
            "st.shared.u32 [%bankshot4], 1;\n"
            "ret;\n");
  EXPECT_NE(text.find(".extern .shared .align 128 .b8 dyn[];"), std::string::npos);
}

TEST(Rewrite, new_registers_avoid_the_names_of_others) {
  const std::string text = rewritten(kernel_text(".reg .b32 %bankshot0; st.shared.u32 [tile], 1;"), "tile", "xor");
  EXPECT_NE(text.find("mov.u32 %bankshot_0, tile;"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::rewrite
