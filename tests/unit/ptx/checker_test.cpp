#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/special_registers.hpp"
#include "ptx_helpers.hpp"

namespace bankshot::ptx {
namespace {

Diagnostics checked(const std::string& text) { return check(parsed(text)); }

/// Complaints about the body of a function that has these registers; lines count from the body's first.
Diagnostics checked_body(const std::string& body) {
  Diagnostics found = checked(
      kHeader + ".func f(.param .b32 in) { .reg .pred %p<4>; .reg .b32 %r<10>, x; .reg .v4 .b32 v;\n" + body + "\n}\n");
  for (Diagnostic& diagnostic : found) diagnostic.position.line -= 4;
  return found;
}

TEST(PtxChecker, a_sound_module_has_no_complaints) {
  EXPECT_EQ(checked(kHeader + R"(
    .extern .shared .align 4 .b8 dynamic[];
    .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
    .global .u64 table[2] = {generic(later), f+0};
    .global .u32 later;
    .global .samplerref s = {filter_mode = nearest};
    .func f(.param .b32 a);
    .func f(.param .b32 a) { ret; }
    .alias g, f;
    .func g(.param .b32 a);
    .visible .entry k(.param .u64 p) {
      .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .v4 .f32 v;
      ld.param.u64 %rd1, [p];
      mov.u32 %r1, %tid.x; mov.u32 %r2, WARP_SZ; mov.u32 %r3, v.x; mov.u32 %r0, %envreg31;
    loop: @%p1 bra done;
      { .reg .b32 %r1; .param .b32 a; st.param.b32 [a+0], %r1; call.uni f, (a); bra loop; inner: bra inner; }
      { inner: bra inner; }
      call %rd1, (%r1), proto;
      brx.idx %r1, ts;
    ts: .branchtargets loop, done;
    proto: .callprototype _ (.param .b32 _, .param .b32 _);
      mov.u32 %r1, dynamic; tex.1d.v4.f32.s32 {%r1, _, _, _}, [later, s, {%r1}];
    done: ret;
    })"),
            Diagnostics{});
}

TEST(PtxChecker, rejects_undeclared_names_with_a_remedy) {
  const auto found = checked_body("mov.u32 %r10, %rx1;\nld.global.u32 %r1, [y];\n@%q bra L;\nL: mov.u32 in2, %tidy.x;");
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(first_complaint(found), "1:9: '%r10' is not declared");
  EXPECT_EQ(found[0].remedy, "its range ends with number 9; make the .reg range larger");
  EXPECT_EQ(found[1].remedy, "declare it with .reg");
  EXPECT_EQ(found[2].position, (Position{2, 20}));
  EXPECT_EQ(found[4].remedy, "did you mean 'in'?");
  EXPECT_EQ(found[5].message, "'%tidy.x' is not declared");
}

TEST(PtxChecker, rejects_branches_to_labels_that_are_not_there) {
  const auto found = checked_body("$L__BB0_2:\nbra $L__BB0_3;\nbra x;\n{ hidden: ret; }\nbra hidden;\nbra 5;");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(first_complaint(found), "2:5: the label '$L__BB0_3' is not in this scope");
  EXPECT_EQ(found[0].remedy, "did you mean '$L__BB0_2'?");
  EXPECT_EQ(found[1].message, "the target of a branch is a label");
  EXPECT_EQ(found[2].message, "the label 'hidden' is not in this scope");
  EXPECT_EQ(found[3].position.line, 6u);
}

TEST(PtxChecker, rejects_a_register_used_before_its_declaration) {
  EXPECT_EQ(first_complaint(checked_body("mov.u32 late, 1;\n.reg .b32 late;")), "1:9: 'late' is not declared");
}

TEST(PtxChecker, rejects_names_declared_twice_in_a_scope) {
  const auto body = checked_body(".reg .b32 x;\n.reg .b32 %r3;\n.reg .b64 %r<2>;\nL:\nL:\n.reg .b32 in;\n.reg .b32 L;");
  ASSERT_EQ(body.size(), 6u);
  EXPECT_EQ(first_complaint(body), "5:1: the label 'L' stands twice in one scope, first in line 8");
  EXPECT_EQ(body[1].message, "'x' is declared twice in one scope, first in line 4");
  EXPECT_EQ(body[2].position.line, 2u);
  EXPECT_EQ(body[3].position.line, 3u);
  EXPECT_EQ(body[4].position.line, 6u);
  EXPECT_EQ(body[5].position.line, 7u);
  EXPECT_EQ(checked_body(".reg .b32 %q7;\n.reg .b32 %q<8>;").size(), 1u);
  EXPECT_EQ(checked_body(".reg .b32 %q8;\n.reg .b32 %q<8>;\n.reg .b32 %q08;").size(), 0u);
}

TEST(PtxChecker, rejects_second_definitions_but_not_second_declarations) {
  EXPECT_EQ(checked(kHeader + ".func f();\n.func f() {}\n.func f();\n").size(), 0u);
  EXPECT_EQ(checked(kHeader + ".func f() {}\n.func f() {}\n").size(), 1u);
  EXPECT_EQ(checked(kHeader + ".extern .global .u32 a;\n.visible .global .u32 a;\n").size(), 0u);
  EXPECT_EQ(checked(kHeader + ".global .u32 a;\n.global .u32 a;\n").size(), 1u);
  EXPECT_EQ(checked(kHeader + ".global .u32 f;\n.func f();\n").size(), 1u);
}

TEST(PtxChecker, rejects_calls_and_aliases_of_functions_that_are_not_there) {
  const auto found = checked(kHeader + ".func helper() {}\n.func f() { call.uni helpr; }\n.alias a, f;\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].message, "the function 'helpr' is not declared");
  EXPECT_EQ(found[0].remedy, "did you mean 'helper'?");
  EXPECT_EQ(found[1].message, "the function 'a' is not declared");
}

TEST(PtxChecker, rejects_versions_and_addresses_it_does_not_know) {
  EXPECT_EQ(checked("")[0].message, "the module has no .version");
  EXPECT_EQ(checked(".version 1.3\n.target sm_13\n")[0].message, "PTX 1.3 is too old");
  EXPECT_EQ(checked(".version 8.0\n.address_size 32\n")[0].message, "32-bit addresses are not supported");
  EXPECT_EQ(checked(".version 12.3\n.target sm_999\n.address_size 64\n").size(), 0u);
}

TEST(PtxChecker, special_registers_are_the_ones_of_the_manual) {
  for (const char* name : {"%tid", "%tid.x", "%nctaid.z", "%tid.w", "%clock64", "%envreg0", "%envreg31", "%pm7",
                           "%pm7_64", "%cluster_ctaid.y", "%is_explicit_cluster", "%lanemask_ge", "%globaltimer_hi"}) {
    EXPECT_TRUE(is_special_register(name)) << name;
  }
  for (const char* name : {"", "%", "tid.x", "%tid.", "%tid.q", "%tid.xy", "%laneid.x", "%envreg32", "%envreg",
                           "%envreg01", "%pm8", "%pm_64", "%pmx", "%r1"}) {
    EXPECT_FALSE(is_special_register(name)) << name;
  }
}

}  // namespace
}  // namespace bankshot::ptx
