// Kernels over edits, worked by hand.
#include <gtest/gtest.h>

#include "bankshot/compare/match_kernels.hpp"
#include "bankshot/compare/match_lines.hpp"

namespace bankshot::compare {
namespace {

using Indices = std::vector<std::pair<size_t, size_t>>;

/// A kernel whose name in the PTX is that in the source.
Kernel kernel(const std::string& demangled, const std::string& operations = "", const std::string& file = "k.cu") {
  Kernel one;
  one.name = one.demangled = demangled;
  one.file = file;
  if (!operations.empty()) one.lines.push_back({file, 1, "", operations, 0});
  return one;
}

TEST(MatchKernels, base_names_have_no_namespace_arguments_or_parameters) {
  EXPECT_EQ(base_name("void cutlass::gemm<float, 32>(float*)"), "gemm");
  EXPECT_EQ(base_name("scale(float*, int)"), "scale");
  EXPECT_EQ(base_name("void (anonymous namespace)::f<a::b<(int)3> >(c<d>)"), "f");
  EXPECT_EQ(base_name("plain"), "plain");
  EXPECT_EQ(base_name(""), "");
}

TEST(MatchKernels, equal_names_are_the_same_kernel) {
  EXPECT_EQ(match_kernels({kernel("a()"), kernel("b()")}, {kernel("b()"), kernel("a()")}), (Indices{{1, 0}, {0, 1}}));
  EXPECT_EQ(match_kernels({kernel("a()")}, {kernel("b()", "ld")}), (Indices{{kNone, 0}, {0, kNone}}));
}

TEST(MatchKernels, of_one_name_in_several_modules_the_files_decide) {
  EXPECT_EQ(match_kernels({kernel("a()", "", "src/one.cu"), kernel("a()", "", "src/two.cu")},
                          {kernel("a()", "", "two.cu"), kernel("a()", "", "one.cu")}),
            (Indices{{1, 0}, {0, 1}}));
  EXPECT_EQ(match_kernels({kernel("a()"), kernel("a()")}, {kernel("a()"), kernel("a()")}), (Indices{{0, 0}, {1, 1}}));
}

TEST(MatchKernels, changed_template_parameters_are_the_same_kernel) {
  EXPECT_EQ(match_kernels({kernel("void gemm<32>(float*)")}, {kernel("void gemm<64>(float*)")}), (Indices{{0, 0}}));
  // 32 and 64 are the words that tell which is which.
  EXPECT_EQ(match_kernels({kernel("void gemm<32>(float*)"), kernel("void gemm<64>(float*)")},
                          {kernel("void gemm<64, true>(float*)"), kernel("void gemm<32, true>(float*)")}),
            (Indices{{1, 0}, {0, 1}}));
  // Each of the new ones is as near to each of the old ones: nothing is guessed.
  EXPECT_EQ(match_kernels({kernel("void gemm<1>(float*)"), kernel("void gemm<2>(float*)")},
                          {kernel("void gemm<3>(float*)"), kernel("void gemm<4>(float*)")}),
            (Indices{{kNone, 0}, {kNone, 1}, {0, kNone}, {1, kNone}}));
}

TEST(MatchKernels, a_renamed_kernel_has_the_same_instructions) {
  EXPECT_EQ(match_kernels({kernel("old()", "ld"), kernel("other()", "st")}, {kernel("fresh()", "ld")}),
            (Indices{{0, 0}, {1, kNone}}));
  EXPECT_EQ(match_kernels({kernel("a()", "ld"), kernel("b()", "ld")}, {kernel("c()", "ld")}),
            (Indices{{kNone, 0}, {0, kNone}, {1, kNone}}));  // which of the two is not known
}

}  // namespace
}  // namespace bankshot::compare
