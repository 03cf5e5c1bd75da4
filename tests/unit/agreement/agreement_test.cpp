// The model of ptxas against a cubin: tile.cubin is what ptxas 13.0 made of tile.ptx for sm_80.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "bankshot/agreement/agreement.hpp"
#include "bankshot/ptx/parser.hpp"
#include "tests/paths.hpp"

namespace bankshot::agreement {
namespace {

std::string contents(const std::string& name) {
  std::ifstream in(paths::source() + "/tests/unit/agreement/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

sass::Cubin tile_cubin() {
  const std::string bytes = contents("tile.cubin");
  const auto cubin = sass::read_cubin(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(cubin);
  return cubin ? *cubin : sass::Cubin();
}

/// The line of the text that begins like this, from 1.
uint32_t line_of(const std::string& text, const std::string& begin) {
  const size_t at = text.find(begin);
  return at == std::string::npos
             ? 0
             : 1 + static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

TEST(Agreement, widths_are_seen_at_the_lines_of_the_text) {
  const auto seen = seen_in(tile_cubin());
  ASSERT_TRUE(seen);
  const std::string text = contents("tile.ptx");
  EXPECT_EQ(seen->lines.at(line_of(text, "  ld.shared.f32 %f1,")).loads, std::set<unsigned>{16});
  EXPECT_EQ(seen->lines.at(line_of(text, "  ld.shared.f32 %f2, [%r2]")).loads, std::set<unsigned>{16});
  EXPECT_EQ(seen->lines.size(), 3u);
}

TEST(Agreement, machine_code_without_lines_tells_no_accesses) {
  sass::Cubin cubin = tile_cubin();
  for (sass::Kernel& kernel : cubin.kernels) {
    for (sass::Instruction& instruction : kernel.code) instruction.ptx_line = 0;
  }
  EXPECT_FALSE(seen_in(cubin));
}

TEST(Agreement, a_text_is_known_by_the_lines_of_its_accesses) {
  const std::string text = contents("tile.ptx");
  const auto made_of = [](const std::string& other) { return is_made_of(*ptx::parse(other), tile_cubin()); };
  EXPECT_TRUE(made_of(text));
  EXPECT_FALSE(made_of("//\n" + text)) << "each line is one further down";
  std::string renamed = text;
  renamed.replace(renamed.find("rows("), 5, "cols(");
  EXPECT_FALSE(made_of(renamed)) << "it lacks a kernel of the machine code";
}

TEST(Agreement, a_difference_has_what_was_expected_seen_and_counted) {
  const std::string text = contents("tile.ptx");
  sass::Cubin cubin = tile_cubin();
  std::vector<Checked> all = check(text, cubin, *seen_in(cubin));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kernel, "positive");
  const uint32_t in_loop = line_of(text, "  ld.shared.f32 %f3, [%r2]");
  ASSERT_EQ(all[0].differences.size(), 1u);  // it was unrolled: wider than expected, which is not forced
  EXPECT_EQ(all[0].differences[0], (Difference{"", 0, in_loop, "shared load", {4}, {16}, {4}}));
  EXPECT_EQ(all[1].kernel, "loop");
  EXPECT_TRUE(all[1].differences.empty());
  EXPECT_EQ(all[2].kernel, "rows");
  EXPECT_TRUE(all[2].differences.empty());

  // Machine code that has words where 16 bytes are expected.
  const uint32_t first = line_of(text, "  ld.shared.f32 %f1,");
  for (sass::Kernel& kernel : cubin.kernels) {
    for (sass::Instruction& instruction : kernel.code) {
      if (instruction.ptx_line == first) instruction.bytes = 4;
    }
  }
  all = check(text, cubin, *seen_in(cubin));
  const auto at_first = std::ranges::find(all[2].differences, first, &Difference::ptx_line);
  ASSERT_NE(at_first, all[2].differences.end());
  EXPECT_EQ(at_first->expected, std::vector<unsigned>{16});
  EXPECT_EQ(at_first->machine, std::vector<unsigned>{4});
  EXPECT_EQ(at_first->counted, std::vector<unsigned>{4});
}

}  // namespace
}  // namespace bankshot::agreement
