// What bankshot fix says is to be pasted into the source.
#include <gtest/gtest.h>

#include <string>

#include "bankshot/fix/source.hpp"

namespace bankshot::fix {
namespace {

TEST(FixSource, elements_are_those_of_the_accesses_and_rows_are_whole) {
  const scratchpad::BankHash hash = *scratchpad::swizzle_hash({10, 5}, 3, 2, 5);
  const std::string doubles = source_text({"d", 8192, {8}, "a.cu:1"}, hash, 4);
  EXPECT_NE(doubles.find("d[place8_d(i)] in place of d[i] if its elements have 8 bytes"), std::string::npos) << doubles;
  EXPECT_NE(doubles.find("unsigned place8_d(unsigned i) { return place_d(2 * i) / 2; }"), std::string::npos) << doubles;
  const std::string shorts = source_text({"c", 4100, {2, 4}, "a.cu:1"}, hash, 4);
  EXPECT_NE(shorts.find("unsigned place2_c(unsigned i) { return place_c(i / 2) * 2 + i % 2; }"), std::string::npos)
      << shorts;
  EXPECT_NE(shorts.find("c[place_c(i)] in place of c[i] if its elements have 4 bytes"), std::string::npos) << shorts;
  EXPECT_NE(shorts.find("with 4224 bytes"), std::string::npos) << shorts;   // 33 rows of 128
  const std::string words = source_text({"b", 0, {8}, "a.cu:1"}, hash, 8);  // banks of 8 bytes
  EXPECT_EQ(words.find("place8"), std::string::npos) << words;
  EXPECT_NE(words.find("a multiple of 256 bytes"), std::string::npos) << words;
}

TEST(FixSource, padding_counts_in_elements_and_fills_no_last_row) {
  const scratchpad::Padding padding{.row = 32, .words = 4};
  const std::string floats = source_text({"tile", 4000, {4, 16}, "a.cu:1"}, padding, 4);
  EXPECT_NE(floats.find("unsigned padded4_tile(unsigned i) { return i + i / 32 * 4; }"), std::string::npos) << floats;
  EXPECT_NE(floats.find("unsigned padded16_tile(unsigned i) { return i + i / 8 * 1; }"), std::string::npos) << floats;
  EXPECT_NE(floats.find("Declare it with 4496 bytes."), std::string::npos) << floats;  // 31 whole rows of 128
  EXPECT_NE(floats.find("rows have 128 bytes needs no function: lengthen them"), std::string::npos) << floats;
}

TEST(FixSource, names_are_those_of_the_source) {
  EXPECT_EQ(source_name("_ZZ9histogramPKhPjiE5local"), "local");
  EXPECT_EQ(source_name("tile"), "tile");
  EXPECT_EQ(source_name("_ZZE"), "_ZZE");
}

TEST(FixSource, elements_that_would_be_split_have_no_cpp) {
  SourceArray array{"tile", 768, {4}, "a.cu:1", Declaration{1, "px::Pixel", 12, {"64"}, {64}}};
  const Recipe refused = recipe(array, *scratchpad::swizzle_hash({10, 5}, 3, 0, 5), 4, "tile");
  EXPECT_EQ(refused.refusal,
            "The move splits elements of type px::Pixel (12 bytes), so C++ cannot express it; use the rewritten PTX.");
  array.declaration->element_bytes = 16;
  EXPECT_EQ(recipe(array, scratchpad::Padding{.row = 32, .words = 2}, 4, "t").refusal.substr(0, 8), "The move");
  const Recipe padded = recipe(array, scratchpad::Padding{.row = 32, .words = 4}, 4, "t");
  EXPECT_EQ(padded.refusal, "");
  EXPECT_EQ(padded.bytes, 768 + 768 / 128 * 16);
  EXPECT_EQ(padded.place, (std::map<unsigned, std::string>{{16, "padded_t"}}));
  EXPECT_EQ(padded.functions,
            "__host__ __device__ constexpr unsigned padded_t(unsigned i) { return i + i / 8 * 1; }\n");
}

TEST(FixSource, elements_that_are_the_rows_get_a_member) {
  SourceArray array{"near", 2048, {4}, "a.cu:9", Declaration{7, "Particle", 32, {"64"}, {64}}};
  const scratchpad::Padding padding{.row = 8, .words = 1};
  const Recipe longer = recipe(array, padding, 4, "near");
  EXPECT_EQ(longer.refusal, "");
  EXPECT_EQ(longer.element, "padded_near");
  EXPECT_EQ(longer.bytes, 64u * 36);
  EXPECT_EQ(longer.functions,
            "struct padded_near { Particle element; unsigned padding[1]; };\n"
            "static_assert(sizeof(padded_near) == 36, \"Particle is aligned to more than its padding\");\n");
  EXPECT_EQ(source_text(array, padding, 4),
            "// In line 7, with padded_near in place of Particle; at a.cu:9: near[i].element in place of near[i]\n" +
                longer.functions);
  array.declaration->type = "double4";  // aligned to 16 bytes
  EXPECT_EQ(recipe(array, padding, 4, "near").refusal,
            "double4 is aligned to 16 bytes, so that its elements cannot be 4 bytes longer in C++; use the rewritten "
            "PTX.");
  EXPECT_EQ(recipe(array, scratchpad::Padding{.row = 8, .words = 4}, 4, "near").element, "padded_near");
}

TEST(FixSource, sizes_of_types_that_are_built_in_need_no_check) {
  EXPECT_EQ(size_check({1, "::float", 4, {"64"}, {64}}), "");
  EXPECT_EQ(size_check({1, "std::uint8_t", 1, {"64"}, {64}}), "");
  EXPECT_EQ(size_check({1, "px::Pixel", 12, {"64"}, {64}}), "static_assert(sizeof(px::Pixel) == 12);");
}

}  // namespace
}  // namespace bankshot::fix
