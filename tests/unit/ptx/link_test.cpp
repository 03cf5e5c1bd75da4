// Device linking of PTX: -rdc=true.
#include "bankshot/ptx/link.hpp"
#include "bankshot/ptx/checker.hpp"
#include "ptx_helpers.hpp"

namespace bankshot::ptx {
namespace {

Result<Module> linked(std::initializer_list<std::string> texts) {
  std::vector<Unit> units;
  for (const std::string& text : texts)
    units.push_back({"unit " + std::to_string(units.size() + 1), parsed(kHeader + text)});
  return link(std::move(units));
}

/// The text of the linked module, which must be one that checks.
std::string text_of(std::initializer_list<std::string> texts) {
  const Result<Module> module = linked(texts);
  if (!module) return "error: " + module.error().message;
  const std::string text = print(*module);
  EXPECT_EQ(format_diagnostics(check(parsed(text)), "linked", text), "");
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(PtxLink, declarations_give_way_to_definitions) {
  const std::string text =
      text_of({".extern .func (.param .b32 r) f(.param .b32 a);\n.extern .global .align 4 .u32 counter;\n"
               ".visible .entry k() { .reg .b32 %r<2>; .param .b32 x; .param .b32 y; st.param.b32 [x], 1;"
               "call.uni (y), f, (x); ld.global.u32 %r1, [counter]; ret; }",
               ".visible .global .align 4 .u32 counter = 7;\n"
               ".visible .func (.param .b32 r) f(.param .b32 a) { ret; }"});
  EXPECT_FALSE(has(text, ".extern")) << text;
  EXPECT_EQ(count(text, "counter = 7"), 1u) << text;
  EXPECT_EQ(count(text, "f("), 2u) << "a prototype and the function:\n" << text;
  EXPECT_LT(text.find("f("), text.find(".entry k"));
}

TEST(PtxLink, what_nobody_defines_stays_declared) {
  const std::string text = text_of({".extern .func vprintf(.param .b64 a);\n.visible .entry k() { ret; }",
                                    ".extern .func vprintf(.param .b64 a);\n.visible .entry l() { ret; }"});
  EXPECT_EQ(count(text, "vprintf"), 1u) << text;
  EXPECT_TRUE(has(text, ".extern .func vprintf"));
}

TEST(PtxLink, units_keep_their_own_symbols) {
  const std::string text =
      text_of({".global .u32 mine = 1;\n.func f() { ret; }\n.visible .entry k() { .reg .b32 %r<2>; ld.global.u32 %r1, "
               "[mine+0]; call.uni f; ret; }",
               ".global .u32 mine = 2;\n.global .u64 at = mine;\n.func f() { .reg .b32 mine; mov.b32 mine, 4; ret; }\n"
               ".visible .entry l() { .reg .b32 %r<2>; { ld.global.u32 %r1, [mine+0]; } call.uni f; ret; }"});
  EXPECT_EQ(count(text, "mine$0"), 2u) << text;
  EXPECT_EQ(count(text, "mine$1"), 3u) << text;
  EXPECT_EQ(count(text, "f$0"), 3u) << text;
  EXPECT_TRUE(has(text, ".reg .b32 mine;")) << "a register of a function hides it\n" << text;
  EXPECT_TRUE(has(text, "mov.b32 mine, 4")) << text;
}

TEST(PtxLink, a_name_that_nobody_else_has_is_kept) {
  EXPECT_TRUE(has(text_of({".global .u32 mine = 1;", ".visible .entry l() { ret; }"}), " mine = 1"));
}

TEST(PtxLink, an_own_symbol_and_anothers_visible_one_are_two) {
  const std::string text =
      text_of({".visible .global .u32 x = 1;\n.visible .entry k() { .reg .b32 %r<2>; ld.global.u32 %r1, [x]; ret; }",
               ".global .u32 x = 2;\n.visible .entry l() { .reg .b32 %r<2>; ld.global.u32 %r1, [x]; ret; }"});
  EXPECT_TRUE(has(text, " x = 1"));
  EXPECT_TRUE(has(text, " x$1 = 2"));
  EXPECT_TRUE(has(text, "[x$1]"));
}

TEST(PtxLink, the_first_of_weak_definitions_stays_and_a_strong_one_wins) {
  const std::string weak =
      text_of({".weak .func f() { .reg .b32 %a; ret; }", ".weak .func f() { .reg .b32 %b; ret; }"});
  EXPECT_TRUE(has(weak, "%a"));
  EXPECT_FALSE(has(weak, "%b"));
  const std::string strong =
      text_of({".weak .func f() { .reg .b32 %a; ret; }", ".visible .func f() { .reg .b32 %b; ret; }"});
  EXPECT_FALSE(has(strong, "%a"));
  EXPECT_TRUE(has(strong, "%b"));
}

TEST(PtxLink, of_common_variables_the_largest_stays) {
  const std::string text =
      text_of({".common .global .u32 x[2];", ".common .global .u32 x[5];", ".common .global .u32 x[3];"});
  EXPECT_EQ(count(text, " x["), 1u) << text;
  EXPECT_TRUE(has(text, " x[5]"));
}

TEST(PtxLink, two_definitions_are_an_error_with_both_units) {
  EXPECT_EQ(text_of({".visible .func f() { ret; }", ".visible .func f() { ret; }"}),
            "error: 'f' is defined in unit 1 and in unit 2");
}

TEST(PtxLink, files_are_numbered_anew) {
  const std::string text = text_of({".visible .entry k() { .loc 1 10 3\n ret; }\n.file 1 \"a.cu\"",
                                    ".visible .entry l() { .loc 1 20 3\n .loc 2 7 5, function_name f, inlined_at 1 22 "
                                    "9\n ret; }\n.file 1 \"b.cu\"\n.file 2 \"c.h\"\n"
                                    ".section .debug_str { f: .b8 0 }"});
  EXPECT_TRUE(has(text, ".loc 1 10")) << text;
  EXPECT_TRUE(has(text, ".loc 3 20")) << text;
  EXPECT_TRUE(has(text, ".loc 4 7")) << text;
  EXPECT_TRUE(has(text, "inlined_at 3 22")) << text;
  EXPECT_TRUE(has(text, ".file 3 \"b.cu\""));
  EXPECT_TRUE(has(text, ".file 4 \"c.h\""));
}

TEST(PtxLink, the_newest_version_and_target_count) {
  std::vector<Unit> units;
  units.push_back({"a", parsed(".version 8.3\n.target sm_90\n.address_size 64\n")});
  units.push_back({"b", parsed(".version 9.0\n.target sm_80\n.address_size 64\n")});
  units.push_back({"c", parsed(".version 8.6\n.target sm_100\n.address_size 64\n")});
  units.push_back({"d", parsed(".version 8.6\n.target sm_90a\n.address_size 64\n")});
  const Result<Module> module = link(std::move(units));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->version_major, 9u);
  EXPECT_EQ(module->version_minor, 0u);
  EXPECT_EQ(module->targets, std::vector<std::string>{"sm_100"});
}

}  // namespace
}  // namespace bankshot::ptx
