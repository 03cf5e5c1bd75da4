// Everything that is wrong with a module, names and instructions, by place.
#include <gtest/gtest.h>

#include "bankshot/ptx/parser.hpp"
#include "bankshot/simt/decode/mistakes.hpp"

namespace bankshot::simt {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// "line:column: message" of each mistake.
std::vector<std::string> found(const std::string& text) {
  const auto module = ptx::parse(text);
  EXPECT_TRUE(module) << text;
  if (!module) return {"it does not parse"};
  std::vector<KernelInfo> kernels;
  std::vector<std::string> all;
  for (const Diagnostic& diagnostic : mistakes(*module, kernels)) {
    all.push_back(std::to_string(diagnostic.position.line) + ":" + std::to_string(diagnostic.position.column) + ": " +
                  diagnostic.message);
  }
  EXPECT_TRUE(kernels.empty() || all.empty());
  return all;
}
std::vector<std::string> found_in_body(const std::string& body) {
  return found(kHead + ".entry k() { .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>;\n" + body + "\n}\n");
}

TEST(EngineMistakes, a_sound_module_gives_its_kernels) {
  const auto module = ptx::parse(kHead + ".entry k(.param .u32 n) { ret; }\n");
  ASSERT_TRUE(module);
  std::vector<KernelInfo> kernels;
  EXPECT_TRUE(mistakes(*module, kernels).empty());
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].params.size(), 1u);
}

TEST(EngineMistakes, names_and_instructions_are_reported_together_by_place_and_once) {
  const auto all = found_in_body("addd.s32 %r1, %r2, %r3;\nmov.u32 %r1, %r99;\nld.global.u33 %r1, [%rd1];\nbra L;");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0], "5:1: instruction 'addd' is not supported (in kernel k)");
  EXPECT_EQ(all[1], "6:14: '%r99' is not declared");
  EXPECT_EQ(all[2], "7:10: unknown modifier '.u33' of 'ld' (in kernel k)");
  EXPECT_EQ(all[3], "8:5: the label 'L' is not in this scope");
}

TEST(EngineMistakes, a_misspelt_modifier_is_named_at_its_place) {
  EXPECT_EQ(found_in_body("st.shraed.u32 [%rd1], %r1;")[0], "5:3: unknown modifier '.shraed' of 'st' (in kernel k)");
  EXPECT_EQ(found_in_body("@%p1 st.shraed.u32 [%rd1], %r1;")[0],
            "5:1: unknown modifier '.shraed' of 'st' (in kernel k)");
  EXPECT_EQ(found_in_body("add.u32.sat %r1, %r2, %r3;")[0],
            "5:1: this form of 'add' is not supported: add.u32.sat (in kernel k)");
}

TEST(EngineMistakes, names_that_are_not_there_do_no_harm) {
  for (const char* body :
       {"{ inner: ret; } bra inner;", "call (x), y, (z);", "call y, (%r9);", "@%q bra %r1;", "brx.idx %r1, t;",
        "L: L: { .reg .b32 x; .reg .b64 x; mov.b32 x, v; }", "ld.param.u32 %r1, [nothing+4];",
        "t: .branchtargets a, b; brx.idx %r1, t;", "mov.u64 %rd1, nothing; mov.u32 %r1, %frob;"}) {
    EXPECT_FALSE(found_in_body(body).empty()) << body;
  }
  EXPECT_FALSE(
      found(".version 1.0\n.address_size 32\n.global .u32 a = b;\n.func f() {}\n.func f() {}\n.alias x, y;\n").empty());
}

}  // namespace
}  // namespace bankshot::simt
