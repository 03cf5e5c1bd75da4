#include "bankshot/support/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bankshot {
namespace {

const std::vector<std::string> kGpus{"a100", "h100", "v100", "transpose_tile"};

TEST(NearestName, is_one_step_away_from_short_names_and_two_from_long_ones) {
  EXPECT_EQ(did_you_mean("h10", kGpus), "; did you mean 'h100'?");
  EXPECT_EQ(did_you_mean("h1", kGpus), "");  // two steps
  EXPECT_EQ(did_you_mean("trasnpose_tile", kGpus), "; did you mean 'transpose_tile'?");
  EXPECT_EQ(did_you_mean("trasnpoze_tlie", kGpus), "");  // three steps
}

TEST(NearestName, takes_two_exchanged_characters_for_one_step) {
  EXPECT_EQ(did_you_mean("--gup", std::vector<std::string>{"--gpu", "--l1"}), "; did you mean '--gpu'?");
  EXPECT_EQ(did_you_mean("gpua", std::vector<std::string>{"agpu"}), "");  // not neighbours
}

TEST(NearestName, does_not_depend_on_upper_and_lower_case) {
  EXPECT_EQ(did_you_mean("V100", kGpus), "; did you mean 'v100'?");
  EXPECT_EQ(did_you_mean("Transpose_Tile", kGpus), "; did you mean 'transpose_tile'?");
}

TEST(NearestName, is_the_first_in_the_alphabet_of_equally_near_ones) {
  EXPECT_EQ(did_you_mean("x100", std::vector<std::string>{"v100", "h100"}), "; did you mean 'h100'?");
}

TEST(NearestName, may_be_a_word_in_the_name_of_a_function) {
  const std::vector<std::string> kernels{"void transpose_tile<32>(float const*, int)", "a::scan(int)"};
  EXPECT_EQ(did_you_mean_part("transpose_tyle", kernels), "; did you mean 'transpose_tile'?");
  EXPECT_EQ(did_you_mean_part("scn", kernels), "; did you mean 'scan'?");
  EXPECT_EQ(did_you_mean_part("frob", kernels), "");
}

TEST(NearestName, is_none_of_a_single_character) {
  EXPECT_EQ(did_you_mean("h", std::vector<std::string>{"h1", "g"}), "");
  EXPECT_EQ(did_you_mean("", kGpus), "");
}

}  // namespace
}  // namespace bankshot
