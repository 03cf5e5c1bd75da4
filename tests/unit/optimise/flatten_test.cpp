// Scopes inside a body.
#include "bankshot/optimise/flatten.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"

namespace bankshot::optimise {
namespace {

/// The kernel's text once its scopes are dissolved; it still obeys the rules of names.
std::string flattened(const std::string& body) {
  auto module = ptx::parse(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {\n" +
                           body + "\nret; }\n");
  EXPECT_TRUE(module);
  if (!module) return {};
  for (ptx::Item& item : module->items) {
    if (auto* function = std::get_if<ptx::Function>(&item)) flatten(*function);
  }
  const std::string text = ptx::print(*module);
  auto again = ptx::parse(text);
  EXPECT_TRUE(again && ptx::check(*again).empty()) << text;
  return text.substr(text.find('{') + 1);
}

TEST(Flatten, registers_of_scopes_get_names_of_their_own) {
  const std::string text = flattened(
      ".reg .f32 %f<3>; .reg .b64 %rd<2>;\n"
      "{ .reg .f32 data; ld.global.f32 data, [%rd1]; add.f32 %f1, data, %f1; }\n"
      "{ .reg .f32 data; ld.global.f32 data, [%rd1+4]; add.f32 %f1, data, %f1; }\n");
  EXPECT_EQ(text.find('{'), std::string::npos) << text;
  EXPECT_EQ(text.find("data"), std::string::npos) << text;
  EXPECT_NE(text.find("ld.global.f32 %inner_0_0_, [%rd1]"), std::string::npos) << text;
  EXPECT_NE(text.find("add.f32 %f1, %inner_1_0_, %f1"), std::string::npos) << text;
}

TEST(Flatten, names_of_the_scope_hide_those_around_it) {
  const std::string text = flattened(
      ".reg .b32 %r<3>; .reg .pred p; setp.eq.u32 p, %r1, 0;\n"
      "{ .reg .b32 %r<2>; .reg .pred p; setp.ne.u32 p, %r1, 0; { .reg .b32 q; mov.u32 q, %r0; @p mov.u32 %r1, q; } }\n"
      "@p mov.u32 %r1, %r2;\n");
  EXPECT_EQ(text.find('{'), std::string::npos) << text;
  EXPECT_NE(text.find("setp.ne.u32 %inner_1_2_, %inner_1_0_1, 0"), std::string::npos) << text;
  EXPECT_NE(text.find("@%inner_1_2_ mov.u32 %inner_1_0_1, %inner_0_0_"), std::string::npos) << text;
  EXPECT_NE(text.find("@p mov.u32 %r1, %r2"), std::string::npos) << text;
}

TEST(Flatten, scopes_with_labels_or_memory_stay) {
  for (const char* scope : {"{ bra L; L: mov.u32 %r1, 1; }", "{ .shared .b32 s; st.shared.b32 [s], %r1; }",
                            "{ .param .b32 p; st.param.b32 [p], %r1; }"}) {
    EXPECT_NE(flattened(std::string(".reg .b32 %r<2>;\n") + scope).find('{'), std::string::npos) << scope;
  }
}

TEST(Flatten, names_that_are_taken_are_avoided) {
  const std::string text = flattened(".reg .b32 %inner_0_0_, %r1; { .reg .b32 t; mov.u32 t, %inner_0_0_; }\n");
  EXPECT_NE(text.find("mov.u32 %inner__0_0_, %inner_0_0_"), std::string::npos) << text;
}

}  // namespace
}  // namespace bankshot::optimise
