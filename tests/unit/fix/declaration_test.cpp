// Declarations of shared arrays are found in the source.
#include <gtest/gtest.h>

#include "bankshot/fix/cpp_text.hpp"
#include "bankshot/fix/declaration.hpp"

namespace bankshot::fix {
namespace {

constexpr char kSource[] = R"(
#define TILE 16
constexpr int kRows = TILE * 2, kMore = 1;
struct Particle { float x, y, z; };
// __shared__ double tile[1];
__global__ void first() {
  __shared__ float tile[kRows][TILE + 1], other[4];
  tile[0][0] = 1;  /* __shared__ char tile[9]; */
}
template <int N> __global__ void second() {
  __shared__ __align__(16) volatile float tile[N][N + kMore];
  __shared__ Particle particles[64];
  __shared__ float3 triples[N];
  extern __shared__ unsigned char bytes[];
  extern __shared__ half dynamic_rows[][TILE + 1];
  extern __shared__ Particle all[];
}
)";

std::optional<Declaration> find(const std::string& name, const std::string& function, uint64_t bytes) {
  return find_declaration(kSource, name, function, bytes);
}

TEST(Declaration, that_of_the_function_is_taken) {
  const auto first = find("tile", "_ZZ5firstvE4tile", 32 * 17 * 4);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->line, 7u);
  EXPECT_EQ(first->type, "float");
  EXPECT_EQ(first->element_bytes, 4u);
  EXPECT_EQ(first->dimensions, (std::vector<std::string>{"kRows", "TILE + 1"}));
  EXPECT_EQ(first->sizes, (std::vector<uint64_t>{32, 17}));
  const auto other = find("other", "_ZZ5firstvE4tile", 16);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->type, "float");
  EXPECT_EQ(other->sizes, (std::vector<uint64_t>{4}));
}

TEST(Declaration, one_unknown_name_follows_from_the_size) {
  const auto second = find("tile", "_ZZ6secondILi3EEvvE4tile", 32 * 33 * 4);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->line, 11u);
  EXPECT_EQ(second->sizes, (std::vector<uint64_t>{32, 33}));
  const auto triples = find("triples", "_ZZ6secondILi3EEvvE4tile", 12 * 40);
  ASSERT_TRUE(triples);
  EXPECT_EQ(triples->element_bytes, 12u);
  EXPECT_EQ(triples->sizes, (std::vector<uint64_t>{40}));
}

TEST(Declaration, elements_of_a_struct_are_the_array_divided) {
  const auto particles = find("particles", "_ZZ6secondILi3EEvvE4tile", 768);
  ASSERT_TRUE(particles);
  EXPECT_EQ(particles->type, "Particle");
  EXPECT_EQ(particles->element_bytes, 12u);
}

TEST(Declaration, dynamic_memory_needs_a_type_that_is_built_in) {
  EXPECT_EQ(find("bytes", "_ZZ6secondILi3EEvvE4tile", 0).value_or(Declaration()).element_bytes, 1u);
  EXPECT_FALSE(find("all", "_ZZ6secondILi3EEvvE4tile", 0));
}

TEST(Declaration, rows_of_dynamic_memory_have_their_size) {
  const auto rows = find("dynamic_rows", "_Z6secondILi4EEvv", 0);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->element_bytes, 2u);
  EXPECT_EQ(rows->sizes, (std::vector<uint64_t>{0, 17}));
}

TEST(Declaration, one_of_another_size_is_none) {
  EXPECT_FALSE(find("tile", "_ZZ5firstvE4tile", 4096));               // 32 x 17 floats are not
  EXPECT_FALSE(find("particles", "_ZZ6secondILi3EEvvE4tile", 1000));  // nor a multiple of 64
  EXPECT_FALSE(find("nothing", "_ZZ6secondILi3EEvvE4tile", 4));
  EXPECT_FALSE(find("", "_ZZ6secondILi3EEvvE4tile", 4));
}

TEST(Declaration, places_stay_where_comments_and_strings_were) {
  EXPECT_EQ(without_comments("a /* b\nc */ d // e\n\"f\\\"\" 1'000 'g'"), "a     \n     d     \n\"   \" 1'000 ' '");
  EXPECT_EQ(without_comments("/*"), "  ");
  EXPECT_EQ(without_comments("\""), "\"");
}

/// The sizes of `__shared__ float tile DIMENSIONS;` below a line.
std::vector<uint64_t> sizes(const std::string& line, const std::string& dimensions, uint64_t elements) {
  const std::string source = line + "\n__global__ void k() { __shared__ float tile" + dimensions + "; }";
  const auto found = find_declaration(source, "tile", "k", elements * 4);
  return found ? found->sizes : std::vector<uint64_t>{0};
}

TEST(Declaration, sizes_are_expressions) {
  using Sizes = std::vector<uint64_t>;
  EXPECT_EQ(sizes("", "[0x20][1 << 4]", 512), (Sizes{32, 16}));
  EXPECT_EQ(sizes("", "[040][(256 >> 3) + 1]", 32 * 33), (Sizes{32, 33}));
  EXPECT_EQ(sizes("", "[1'024u]", 1024), (Sizes{1024}));
  EXPECT_EQ(sizes("", "[0b100000]", 32), (Sizes{32}));
  EXPECT_EQ(sizes("#  define N 4 * 2", "[N]", 8), (Sizes{8}));
  EXPECT_EQ(sizes("static constexpr int N = 4, M = N * 2;", "[M]", 8), (Sizes{8}));
  EXPECT_EQ(sizes("#define N(x) 4", "[N]", 8), (Sizes{8}));          // no definition of N: it follows from the size
  EXPECT_EQ(sizes("#define N N + N", "[N][3]", 24), (Sizes{8, 3}));  // nothing else can be said of it
  EXPECT_EQ(sizes("", "[f(8)]", 8), (Sizes{}));
  EXPECT_EQ(sizes("", "[16]", 8), (Sizes{0}));
}

TEST(Declaration, long_texts_are_read) {
  const std::string blanks(100000, ' '), open(100000, '('), ones = [] {
    std::string text = "1";
    for (int i = 0; i < 50000; ++i) text += "+1";
    return text;
  }();
  EXPECT_EQ(sizes("constexpr int" + blanks + "N =" + blanks + "8;", "[N]", 8), (std::vector<uint64_t>{8}));
  EXPECT_EQ(sizes("#define" + blanks + "N" + blanks + "8", "[N]", 8), (std::vector<uint64_t>{8}));
  EXPECT_EQ(sizes("/*" + blanks + "*/ const" + blanks + "int M = 1;", "[" + blanks + "8 ]", 8),
            (std::vector<uint64_t>{8}));
  EXPECT_EQ(sizes("", "[" + open + "8]", 8), (std::vector<uint64_t>{}));
  EXPECT_EQ(sizes("", "[" + ones + "]", 50001), (std::vector<uint64_t>{50001}));
}

TEST(Declaration, types_stay_as_they_are_written) {
  const auto type = [](const std::string& written) {
    const auto found = find_declaration("__global__ void k() { " + written + " t[4]; }", "t", "k", 16);
    return found ? found->type : "none";
  };
  EXPECT_EQ(type("__shared__ px::Pixel"), "px::Pixel");
  EXPECT_EQ(type("volatile __shared__ ::Pixel"), "::Pixel");
  EXPECT_EQ(type("alignas(sizeof(int) * (2 + 2)) __shared__ unsigned   int"), "unsigned int");
  EXPECT_EQ(type("__attribute__((aligned(16))) __shared__ std::uint32_t"), "std::uint32_t");
}

TEST(Declaration, several_that_may_be_meant_are_none) {
  const std::string device = "__device__ void f() { __shared__ float t[4]; }\n";
  const std::string kernel = "__global__ void k() { { __shared__ float t[4]; } { __shared__ float t[8]; } }";
  const auto line = [&](const std::string& function, uint64_t bytes) {
    const auto found = find_declaration(device + kernel, "t", function, bytes);
    return found ? found->line : 0;
  };
  EXPECT_EQ(line("_ZZ1fvE1t", 16), 1u);
  EXPECT_EQ(line("_ZZ1kvE1t", 16), 2u);
  EXPECT_EQ(line("_ZZ1kvE1t_0", 32), 2u);
  EXPECT_EQ(line("_ZZ1gvE1t", 32), 0u);  // in a function that is not there
  EXPECT_EQ(line("g", 32), 2u);          // the name says nothing, but there is just one
  EXPECT_EQ(line("g", 16), 0u);
  const std::string twice = "__global__ void k() { { __shared__ float t[4]; } { __shared__ float t[4]; } }";
  EXPECT_FALSE(find_declaration(twice, "t", "_ZZ1kvE1t", 16));
}

TEST(Declaration, lines_of_the_preprocessor_go_with_those_that_continue_them) {
  EXPECT_EQ(without_directives("a\n  # b \\\nc\\\nd\ne"), "a\n       \n  \n \ne");
  EXPECT_EQ(without_directives("#"), " ");
  EXPECT_EQ(without_directives("#\\"), "  ");
  EXPECT_EQ(without_directives("a # b"), "a # b");
}

}  // namespace
}  // namespace bankshot::fix
