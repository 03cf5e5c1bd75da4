// Module-level directives, functions and bodies.
#include "ptx_helpers.hpp"

namespace bankshot::ptx {
namespace {

Function function(const std::string& text) {
  Module module = parsed(kHeader + text);
  if (module.items.size() != 1 || !std::holds_alternative<Function>(module.items[0])) {
    ADD_FAILURE() << "not one function: " << text;
    return {};
  }
  return std::move(std::get<Function>(module.items[0]));
}

TEST(PtxModule, the_header_is_read) {
  const Module module = parsed("// made by hand\n.version 9.10\n.target sm_90a, debug\n.address_size 64");
  EXPECT_EQ(module.version_major, 9u);
  EXPECT_EQ(module.version_minor, 10u);
  EXPECT_EQ(module.targets, (std::vector<std::string>{"sm_90a", "debug"}));
  EXPECT_EQ(parsed(".version 6.0\n.target sm_70\n.address_size 32\n").address_size, 32u);
}

TEST(PtxModule, an_empty_text_is_an_empty_module) {
  EXPECT_TRUE(parsed("").items.empty());
  EXPECT_TRUE(parsed("// nothing").items.empty());
}

TEST(PtxModule, line_ends_and_the_last_newline_do_not_matter) {
  const std::string unix_text = kHeader + ".func f() {\n\tret;\n}";
  std::string windows_text;
  for (char c : unix_text) windows_text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_TRUE(same(parsed(unix_text), parsed(windows_text)));
  EXPECT_TRUE(same(parsed(unix_text), parsed(unix_text + '\0')));
}

TEST(PtxModule, kernels_carry_their_limits) {
  const Function kernel = function(
      ".visible .entry k(.param .u64 p)\n.maxntid 256, 1, 1\n.minnctapersm 2\n.reqnctapercluster 2\n.explicitcluster\n"
      ".pragma \"abc\";\n{ ret; }");
  EXPECT_TRUE(kernel.is_entry);
  EXPECT_EQ(kernel.linkage, "visible");
  ASSERT_EQ(kernel.performance.size(), 4u);
  EXPECT_EQ(kernel.performance[0].name, "maxntid");
  EXPECT_EQ(kernel.performance[0].values, (std::vector<uint64_t>{256, 1, 1}));
  EXPECT_TRUE(kernel.performance[3].values.empty());
  EXPECT_EQ(kernel.pragmas[0].texts[0], "abc");
}

TEST(PtxModule, a_kernel_may_have_no_parameter_list) { EXPECT_TRUE(function(".entry k { ret; }").parameters.empty()); }

TEST(PtxModule, functions_return_values_and_prototypes_have_no_body) {
  const Function prototype = function(".extern .func (.param .b32 r) vprintf\n(\n.param .b64 a,\n.param .b64 b\n)\n;");
  EXPECT_EQ(prototype.returns.size(), 1u);
  EXPECT_EQ(prototype.parameters.size(), 2u);
  EXPECT_EQ(prototype.body, nullptr);
  const Function trap = function(".weak .func f(.reg .b32 a) .noreturn .abi_preserve 8 { trap; }");
  EXPECT_TRUE(trap.noreturn);
  EXPECT_EQ(trap.performance[0].name, "abi_preserve");
  EXPECT_EQ(function(".func .attribute(.unified(1,2)) f() {}").attributes[0], "unified(1,2)");
}

TEST(PtxModule, debugging_data_is_kept_as_text) {
  const Module module = parsed(kHeader +
                               ".file 1 \"/a/b.cu\", 1700000000, 42\n"
                               ".section .debug_info {\n.b32 12 // }\n.b8 1,2\n.b64 .debug_loc+4\nL: { }\n}\n"
                               "@@DWARF .section .debug_abbrev, \"\",@progbits\n@@DWARF\n"
                               ".func f() { ret; }\n.file 2 \"c.h\"\n.alias g, f;\n.pragma \"x\";\n.loc 1 2 3\n");
  ASSERT_EQ(module.items.size(), 9u);
  EXPECT_EQ(std::get<File>(module.items[0]).extra, (std::vector<uint64_t>{1700000000, 42}));
  const Section& section = std::get<Section>(module.items[1]);
  EXPECT_EQ(section.name, ".debug_info");
  EXPECT_EQ(section.text, "\n.b32 12 // }\n.b8 1,2\n.b64 .debug_loc+4\nL: { }\n");
  EXPECT_EQ(std::get<Section>(module.items[2]).text, ".section .debug_abbrev, \"\",@progbits");
  EXPECT_EQ(std::get<Section>(module.items[3]).text, "");
  EXPECT_EQ(std::get<File>(module.items[5]).index, 2u);
  EXPECT_EQ(std::get<Alias>(module.items[6]).target, "f");
}

TEST(PtxBody, locations_may_be_inlined) {
  const auto statements = body_of(
      ".loc 1 10 3\n.loc 2 7 5, function_name $L__info_string0, inlined_at 1 22 9\n"
      ".loc 2 8 5, function_name .debug_str+16, inlined_at 1 23 9\nret;");
  ASSERT_EQ(statements.size(), 4u);
  EXPECT_EQ(std::get<Location>(statements[0]).line, 10u);
  const Location& inlined = std::get<Location>(statements[1]);
  EXPECT_EQ(inlined.inlined->function_label, "$L__info_string0");
  EXPECT_EQ(inlined.inlined->line, 22u);
  EXPECT_EQ(std::get<Location>(statements[2]).inlined->function_offset, 16);
}

TEST(PtxBody, tables_of_targets_and_prototypes_belong_to_a_label) {
  const auto statements = body_of(
      "brx.idx %r1, ts;\nts: .branchtargets a, L<3>;\ncs: .calltargets f, g;\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;\n"
      "none: .callprototype _ ();");
  EXPECT_EQ(std::get<Targets>(statements[1]).names, (std::vector<std::string>{"a", "L0", "L1", "L2"}));
  EXPECT_TRUE(std::get<Targets>(statements[2]).calls);
  const CallPrototype& prototype = std::get<CallPrototype>(statements[3]);
  EXPECT_EQ(prototype.label, "proto");
  EXPECT_EQ(prototype.parameters[1].align, 8u);
  EXPECT_TRUE(prototype.noreturn);
  EXPECT_TRUE(std::get<CallPrototype>(statements[4]).returns.empty());
}

TEST(PtxBody, blocks_labels_pragmas_and_shared_variables_nest) {
  const auto statements = body_of("{ .shared .b32 a[4]; L: { ; } bra L; }\n.pragma \"nounroll\", \"x\";\nend:");
  ASSERT_EQ(statements.size(), 3u);
  const Block& block = *std::get<std::unique_ptr<Block>>(statements[0]);
  EXPECT_EQ(block.statements.size(), 4u);
  EXPECT_EQ(std::get<Pragma>(statements[1]).texts[1], "x");
  EXPECT_EQ(std::get<Label>(statements[2]).name, "end");
}

TEST(PtxModule, rejects_unreadable_headers) {
  EXPECT_EQ(first_complaint(complaints(".version 8\n")), "1:10: expected the version of PTX as major.minor, found '8'");
  EXPECT_EQ(first_complaint(complaints(".version\n.target sm_80\n")),
            "2:1: expected the version of PTX as major.minor, found '.target'");
  EXPECT_EQ(first_complaint(complaints(".version 99999.0\n")),
            "1:10: expected the version of PTX as major.minor, found '99999.0'");
  EXPECT_EQ(first_complaint(complaints(".version 0.9\n")),
            "1:10: expected the version of PTX as major.minor, found '0.9'");
  EXPECT_EQ(first_complaint(complaints(".version 8.0\n.version 7.0\n")),
            "2:10: a second .version that differs from the first");
  EXPECT_EQ(first_complaint(complaints(".address_size 16\n")), "1:15: the size of an address is 32 or 64 bits, not 16");
  EXPECT_EQ(first_complaint(complaints(".target 80\n")), "1:9: expected a target like sm_75, found '80'");
}

TEST(PtxModule, rejects_every_error_of_a_text_at_once) {
  const Diagnostics found = complaints(kHeader +
                                       ".func f() {\n"        // 4
                                       "add.s32 a, b c;\n"    // 5
                                       "ld.v2 {a, b, [c];\n"  // 6
                                       "mov a, ;\n"           // 7
                                       "ret;\n}\n"
                                       ".global .u32 = 4;\n"  // 10
                                       "ret;\n"               // 11
                                       ".func g( { ret; }\n"  // 12
                                       ".func h() { bogus 1 2; }\n");
  std::vector<uint32_t> lines;
  for (const Diagnostic& diagnostic : found) lines.push_back(diagnostic.position.line);
  EXPECT_EQ(lines, (std::vector<uint32_t>{5, 6, 7, 10, 11, 12, 13}));
}

TEST(PtxModule, rejects_a_missing_semicolon_where_it_is_missing) {
  const Diagnostics found =
      complaints(kHeader + ".func f() {\nmov.u32 a, b\nadd.u32 c, d, e\n}\n.func g() {\nmov 1 2;\n}\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].position, (Position{5, 13}));
  EXPECT_EQ(found[0].message, "expected ';' or ',' after an operand, found 'add'");
  EXPECT_EQ(found[1].position, (Position{6, 16}));
  EXPECT_EQ(found[2].position.line, 9u);
}

TEST(PtxModule, rejects_open_ends) {
  EXPECT_EQ(first_complaint(complaints(".func f() {\nret;\n")), "1:11: this { is not closed");
  EXPECT_EQ(first_complaint(complaints(".section .x {\n1\n")), "1:13: the section .x is not closed");
  EXPECT_EQ(first_complaint(complaints(".func f() { ret; } }\n")), "1:20: expected a directive, found '}'");
  EXPECT_EQ(first_complaint(complaints(".version 8.0 /* a\n")),
            "1:14: expected a directive like .version, .visible or .entry, found an unterminated comment");
  EXPECT_EQ(first_complaint(complaints(".pragma \"a\n;")),
            "1:9: expected the text of a pragma in quotes, found an unterminated string");
  EXPECT_EQ(first_complaint(complaints(".func f()\n.func g() {}")),
            "2:1: expected '{' before the body of 'f', or ';', found '.func'");
}

TEST(PtxModule, rejects_a_comment_without_end_in_a_line_of_debugging_data) {
  EXPECT_EQ(first_complaint(complaints("@@DWARF .b8 1 /* a\nb")),
            "1:15: expected the end of the line, found an unterminated comment");
}

TEST(PtxModule, rejects_foreign_bytes_without_echoing_them) {
  const std::string text = kHeader + ".func f() {\nadd \x01\xff\x7f;\n}\n";
  EXPECT_EQ(first_complaint(complaints(text)), "5:5: expected an operand, found bytes that are not PTX: '\?\?\?'");
  EXPECT_FALSE(complaints(std::string("\0\0ELF", 5)).empty());
}

TEST(PtxModule, rejects_unknown_directives) {
  EXPECT_EQ(first_complaint(complaints(".bogus 3;\n")), "1:1: expected a directive of a module, found '.bogus'");
  EXPECT_EQ(first_complaint(complaints(".func f.3;")), "1:8: expected a directive like .maxntid, found '.3'");
  EXPECT_EQ(first_complaint(complaints(".section.3 {}")), "1:9: expected the name of a section, found '.3'");
  EXPECT_EQ(body_complaint(".bogus 3;"), "1:1: expected an instruction, a declaration or a label, found '.bogus'");
}

TEST(PtxModule, rejects_bottomless_nesting_without_exhausting_the_stack) {
  constexpr size_t kMany = 100000;
  EXPECT_EQ(complaints(".func f() " + std::string(kMany, '{')).size(), 1u);
  EXPECT_EQ(complaints(".func f() { mov a, " + std::string(kMany, '{') + ";}").size(), 1u);
  EXPECT_EQ(complaints(".func f() { mov a, " + std::string(kMany, '(') + ";}").size(), 1u);
  EXPECT_EQ(complaints(".func f() { mov a, " + std::string(kMany, '-') + "1;}").size(), 1u);
  EXPECT_EQ(complaints(".func f() { call " + std::string(kMany, '(') + ";}").size(), 1u);
  EXPECT_EQ(complaints(".func f() { ld a, " + std::string(kMany, '[') + ";}").size(), 1u);
  EXPECT_EQ(complaints(".global .u32 a = " + std::string(kMany, '{') + ";").size(), 1u);
  std::string choices = ".global .u32 a = 1";
  for (size_t i = 0; i < kMany; ++i) choices += "?1:1";
  EXPECT_EQ(complaints(choices + ";").size(), 1u);
  EXPECT_EQ(complaints(".section x " + std::string(kMany, '{') + std::string(kMany, '}')).size(), 0u);
}

TEST(PtxModule, rejects_garbage_with_a_bounded_number_of_complaints) {
  std::string garbage = ".func f() {\n";
  for (int i = 0; i < 100000; ++i) garbage += "mov ;\n";
  EXPECT_LE(complaints(garbage).size(), 1001u);
}

}  // namespace
}  // namespace bankshot::ptx
