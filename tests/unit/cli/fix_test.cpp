// What bankshot fix compares.
#include <gtest/gtest.h>

#include <vector>

#include "bankshot/cli/fix_run.hpp"
#include "bankshot/cli/fix_source.hpp"
#include "bankshot/cuda/process/witness.hpp"

namespace bankshot::cli {
namespace {

WitnessedRun run() {
  WitnessedRun run;
  run.output = "a\nb\n";
  run.witnesses = {"launch of k, grid 1x1x1, block 32x1x1, 256 bytes of dynamic shared memory\nend after 1 launches\n"};
  run.seen.report.kernels.emplace_back();
  run.seen.report.kernels[0].launches = 1;
  return run;
}

TEST(Fix, equal_runs_differ_in_nothing) { EXPECT_EQ(difference(run(), run()), ""); }

TEST(Fix, the_first_difference_is_named) {
  WitnessedRun other = run();
  other.output = "a\nc\n";
  EXPECT_EQ(difference(run(), other), "standard output, line 2: 'b' and 'c'");
  other = run();
  other.output = "a\nb";  // only the last line's end
  EXPECT_EQ(difference(run(), other), "standard output, the last line's end");
  other = run();
  other.error = "oh";
  EXPECT_EQ(difference(run(), other), "standard error, line 1: nothing and 'oh'");
  other = run();
  other.seen.ending.status = 3;
  EXPECT_EQ(difference(run(), other), "exit status 0 and 3");
  other = run();
  other.witnesses[0] += "left device memory of 4 bytes: 00\n";
  EXPECT_EQ(difference(run(), other), "memory, line 3: nothing and 'left device memory of 4 bytes: 00'");
  other.witnesses.clear();
  EXPECT_EQ(difference(run(), other), "1 and 0 processes that used the GPU");
}

TEST(Fix, numbers_that_change_from_run_to_run_are_not_compared_and_everything_else_is) {
  WitnessedRun one = run(), two = run(), three = run();
  one.output = "sum 7\ntook 1.25e-3 s\n";
  two.output = "sum 7\ntook 3 s\n";
  const Unsteady times = unsteady(one, two);
  EXPECT_EQ(times.text(), "the numbers in line 2 of standard output");
  EXPECT_EQ(difference(one, two, times), "");
  three.output = "sum 7\ntook 99.5 s\n";
  EXPECT_EQ(difference(one, three, times), "");
  three.output = "sum 8\ntook 1 s\n";
  EXPECT_EQ(difference(one, three, times), "standard output, line 1: 'sum 7' and 'sum 8'");
  three.output = "sum 7\ntook nan s\n";
  EXPECT_EQ(difference(one, three, times), "standard output, line 2: 'took # s' and 'took nan s'");
  three.output = "sum 7\ntook 1 s";
  EXPECT_EQ(difference(one, three, times), "standard output, the last line's end");
  two.output = "sum 7\nfailed after 3 s\n";  // more than numbers
  EXPECT_EQ(difference(one, two, unsteady(one, two)),
            "standard output, line 2: 'took 1.25e-3 s' and 'failed after 3 s'");
}

TEST(Fix, rejects_runs_whose_memory_nobody_saw) {
  EXPECT_EQ(unproved(run()), "");
  WitnessedRun other = run();
  other.seen.report.kernels[0].launches = 2;
  EXPECT_EQ(unproved(other),
            "2 launches ran, and of 1 it is known what they left in memory: a process did not come to an orderly end");
}

TEST(Fix, dynamic_shared_memory_is_that_of_the_largest_launch) {
  EXPECT_EQ(dynamic_shared(run(), "k"), 256u);
  EXPECT_EQ(dynamic_shared(run(), "kk"), 0u);
}

TEST(WitnessDigest, every_byte_and_the_length_count) {
  const auto of = [](std::vector<unsigned char> bytes) {
    cuda::Digest digest;
    digest.add(bytes.data(), bytes.size());
    return digest.text();
  };
  std::vector<unsigned char> bytes(21, 7);
  const std::string whole = of(bytes);
  EXPECT_EQ(whole, of(bytes));
  EXPECT_EQ(whole.size(), 32u);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<unsigned char> other = bytes;
    other[i] ^= 0x80;
    EXPECT_NE(of(other), whole) << i;
  }
  EXPECT_NE(of({}), of({0}));
  EXPECT_NE(of({0}), of({0, 0}));
}

TEST(FixSource, elements_are_those_of_the_accesses_and_rows_are_whole) {
  const scratchpad::BankHash hash = *scratchpad::swizzle_hash({10, 5}, 3, 2, 5);
  const std::string doubles = fix_source({"d", 8192, {8}, "a.cu:1"}, hash, 4);
  EXPECT_NE(doubles.find("d[place8_d(i)] in place of d[i] if its elements have 8 bytes"), std::string::npos) << doubles;
  EXPECT_NE(doubles.find("unsigned place8_d(unsigned i) { return place_d(2 * i) / 2; }"), std::string::npos) << doubles;
  const std::string shorts = fix_source({"c", 4100, {2, 4}, "a.cu:1"}, hash, 4);
  EXPECT_NE(shorts.find("unsigned place2_c(unsigned i) { return place_c(i / 2) * 2 + i % 2; }"), std::string::npos)
      << shorts;
  EXPECT_NE(shorts.find("c[place_c(i)] in place of c[i] if its elements have 4 bytes"), std::string::npos) << shorts;
  EXPECT_NE(shorts.find("with 4224 bytes"), std::string::npos) << shorts;  // 33 rows of 128
  const std::string words = fix_source({"b", 0, {8}, "a.cu:1"}, hash, 8);  // banks of 8 bytes
  EXPECT_EQ(words.find("place8"), std::string::npos) << words;
  EXPECT_NE(words.find("a multiple of 256 bytes"), std::string::npos) << words;
}

TEST(FixSource, names_are_those_of_the_source) {
  EXPECT_EQ(source_name("_ZZ9histogramPKhPjiE5local"), "local");
  EXPECT_EQ(source_name("tile"), "tile");
  EXPECT_EQ(source_name("_ZZE"), "_ZZE");
}

}  // namespace
}  // namespace bankshot::cli
