// Declarations and initialisers.
#include "ptx_helpers.hpp"

namespace bankshot::ptx {
namespace {

std::vector<int64_t> values(const Variable& variable) {
  std::vector<int64_t> out;
  for (const Operand& operand : variable.initialiser) out.push_back(operand.integer);
  return out;
}

TEST(PtxVariable, registers_may_be_lists_ranges_and_vectors) {
  const auto statements = body_of(".reg .b32 a, b<4>;\n.reg .v4 .f32 v;\n.reg.pred %p<2>;");
  ASSERT_EQ(statements.size(), 4u);
  EXPECT_EQ(std::get<Variable>(statements[0]).name, "a");
  EXPECT_EQ(std::get<Variable>(statements[1]).range, 4u);
  EXPECT_EQ(std::get<Variable>(statements[2]).vector, 4u);
  EXPECT_EQ(std::get<Variable>(statements[3]).type, Type::pred);
}

TEST(PtxVariable, an_empty_range_declares_nothing) { EXPECT_TRUE(body_of(".reg .b32 %r<0>;").empty()); }

TEST(PtxVariable, arrays_know_size_and_alignment) {
  const Variable array = variable(".visible .shared .align 16 .b8 tile[4][256];");
  EXPECT_EQ(array.linkage, "visible");
  EXPECT_EQ(array.space, Space::shared);
  EXPECT_EQ(size_of(array), 1024u);
  EXPECT_EQ(alignment_of(array), 16u);
  const Variable natural = variable(".global .v4 .f32 v[2*3];");
  EXPECT_EQ(size_of(natural), 96u);
  EXPECT_EQ(alignment_of(natural), 16u);
  EXPECT_EQ(size_of(variable(".extern .shared .align 4 .b8 dynamic[];")), 0u);
  EXPECT_EQ(alignment_of(variable(".global .u64 x;")), 8u);
}

TEST(PtxVariable, nested_braces_are_flattened_and_short_rows_filled) {
  EXPECT_EQ(values(variable(".global .u32 a[2][3] = {{1}, {2, 3}};")), (std::vector<int64_t>{1, 0, 0, 2, 3}));
  EXPECT_EQ(values(variable(".global .u32 a[2][2][2] = {{{1,2},{3,4}},{{5,6},{7,8}}};")),
            (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(values(variable(".global .u32 a[4] = {1, -2};")), (std::vector<int64_t>{1, -2}));
}

TEST(PtxVariable, elements_of_vectors_stay_together) {
  const Variable array = variable(".global .v2 .u32 a[2][2] = {{{1,2}},{{5,6},{7,8}}};");
  ASSERT_EQ(array.initialiser.size(), 4u);
  for (const Operand& element : array.initialiser) EXPECT_EQ(element.elements.size(), 2u);
  EXPECT_EQ(array.initialiser[1].elements[0].integer, 0);
  EXPECT_EQ(array.initialiser[2].elements[1].integer, 6);
  EXPECT_EQ(variable(".const .v4 .f32 v = {1.0, 2.0, 3.0, 4.0};").initialiser[0].elements.size(), 4u);
}

TEST(PtxVariable, an_open_dimension_takes_its_size_from_the_initialiser) {
  EXPECT_EQ(variable(".global .b8 text[] = {104, 105, 0};").dimensions[0], 3u);
  EXPECT_EQ(variable(".global .u32 a[][2] = {{1,2},{3}};").dimensions[0], 2u);
  EXPECT_EQ(variable(".extern .global .u32 a[][2];").dimensions[0], std::nullopt);
}

TEST(PtxVariable, initialisers_may_be_addresses) {
  const Variable array = variable(".global .u64 a[4] = {b, b+4, generic(b)+8, generic(b)};");
  EXPECT_EQ(array.initialiser[0].kind, Operand::Kind::identifier);
  EXPECT_EQ(array.initialiser[1].kind, Operand::Kind::sum);
  EXPECT_EQ(array.initialiser[1].integer, 4);
  EXPECT_TRUE(array.initialiser[2].generic);
  EXPECT_EQ(array.initialiser[2].integer, 8);
  const Variable bytes = variable(".global .b8 a[3] = {0xFF(b), 0xFF00(b+4), 0xFF0000(generic(b)+4)};");
  EXPECT_EQ(bytes.initialiser[0].mask, 0xffu);
  EXPECT_EQ(bytes.initialiser[1].mask, 0xff00u);
  EXPECT_EQ(bytes.initialiser[1].integer, 4);
  EXPECT_TRUE(bytes.initialiser[2].generic);
}

TEST(PtxVariable, attributes_and_opaque_types) {
  EXPECT_EQ(variable(".visible .global .attribute(.managed) .align 4 .u32 m = 7;").attributes[0], "managed");
  EXPECT_EQ(variable(".global .attribute(.unified(19, 95), .managed) .f32 f;").attributes[0], "unified(19,95)");
  const Variable sampler = variable(".global .samplerref s = {addr_mode_0 = clamp_to_border, filter_mode = nearest};");
  EXPECT_EQ(sampler.type, Type::opaque);
  EXPECT_EQ(sampler.opaque, "samplerref");
  EXPECT_EQ(sampler.initialiser[0].elements[1].kind, Operand::Kind::field);
}

TEST(PtxVariable, parameters_may_say_what_they_point_to) {
  const Module module = parsed(kHeader +
                               ".visible .entry k(.param .u64 .ptr .global .align 8 a, .param .u64 .ptr .align 1 b,\n"
                               ".param .align 8 .b8 c[16], .param .u64 .ptr .shared d) { ret; }");
  const Function& kernel = std::get<Function>(module.items[0]);
  EXPECT_EQ(kernel.parameters[0].pointer_space, Space::global);
  EXPECT_EQ(kernel.parameters[0].pointer_align, 8u);
  EXPECT_EQ(kernel.parameters[0].align, 0u);
  EXPECT_EQ(kernel.parameters[1].pointer_space, Space::generic);
  EXPECT_EQ(kernel.parameters[1].pointer_align, 1u);
  EXPECT_EQ(kernel.parameters[2].align, 8u);
  EXPECT_FALSE(kernel.parameters[2].is_pointer);
  EXPECT_EQ(kernel.parameters[3].pointer_align, 0u);
}

TEST(PtxVariable, every_type_has_name_and_size) {
  for (unsigned i = 1; i < static_cast<unsigned>(Type::opaque); ++i) {
    const Type type = static_cast<Type>(i);
    EXPECT_EQ(type_named(name(type)), type);
    EXPECT_GT(bits(type), 0u) << name(type);
  }
  EXPECT_EQ(type_named("opaque"), Type::none);
  EXPECT_EQ(type_named(""), Type::none);
  EXPECT_EQ(bits(Type::f16x2), 32u);
  EXPECT_EQ(bits(Type::b128), 128u);
  EXPECT_EQ(bits(Type::pred), 1u);
}

std::string complaint(const std::string& text) { return first_complaint(complaints(text)); }

TEST(PtxVariable, rejects_ranges_and_dimensions_beyond_reason) {
  EXPECT_EQ(body_complaint(".reg .b32 %r<4294967295>;"), "1:14: a range of registers is an integer up to 16777216");
  EXPECT_EQ(body_complaint(".reg .b32 %r<-1>;"), "1:14: expected a number, found '-'");
  EXPECT_EQ(complaint(".shared .b8 a[4294967296][4294967296];"), "1:26: the array 'a' has more than 2^40 elements");
  EXPECT_EQ(complaint(".shared .b8 a[18446744073709551615];"), "1:14: the array 'a' has more than 2^40 elements");
  EXPECT_EQ(complaint(".shared .b8 a[-1];"), "1:15: expected the size of a dimension, an integer of 0 or more");
  EXPECT_EQ(complaint(".shared .b8 a[2][];"), "1:18: expected the size of a dimension, found ']'");
}

TEST(PtxVariable, rejects_wrong_alignments_types_and_names) {
  EXPECT_EQ(complaint(".global .align 3 .b8 a;"), "1:16: an alignment is a power of two, not 3");
  EXPECT_EQ(complaint(".global .align 0 .b8 a;"), "1:16: an alignment is a power of two, not 0");
  EXPECT_EQ(complaint(".global .x32 a;"), "1:9: expected a type, found '.x32'");
  EXPECT_EQ(complaint(".global a;"), "1:9: expected a type, found 'a'");
  EXPECT_EQ(complaint(".global .u32 .u32 a;"), "1:14: expected a name, found '.u32'");
  EXPECT_EQ(complaint(".global .u32 5;"), "1:14: expected the name of a variable, found '5'");
  EXPECT_EQ(complaint(".visible .extern .global .u32 a;"), "1:10: expected one linking directive, found '.extern'");
}

TEST(PtxVariable, rejects_initialisers_that_do_not_fit) {
  const std::string many = "more values than the array 'a' has elements";
  EXPECT_EQ(complaint(".global .u32 a[2] = {1,2,3};"), "1:21: " + many);
  EXPECT_EQ(complaint(".global .u32 a[2][2] = {{1,2,3},{4}};"), "1:25: " + many);
  EXPECT_EQ(complaint(".global .u32 a[2] = {{1},{2}};"), "1:22: braces nested deeper than 'a' has dimensions");
  EXPECT_EQ(complaint(".global .u32 a[2] = 3;"), "1:21: an array is initialised with values in braces");
  EXPECT_EQ(complaint(".global .u32 a[2][100000000] = {{1},{2}};"),
            "1:33: short rows leave out more than 65536 values");
}

}  // namespace
}  // namespace bankshot::ptx
