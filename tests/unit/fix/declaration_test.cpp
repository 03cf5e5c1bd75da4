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
  extern __shared__ Particle all[];
}
)";

std::optional<Declaration> find(const std::string& name, uint32_t before, uint64_t bytes) {
  return find_declaration(kSource, name, before, bytes);
}

TEST(Declaration, the_nearest_above_is_taken) {
  const auto first = find("tile", 8, 32 * 17 * 4);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->line, 7u);
  EXPECT_EQ(first->type, "float");
  EXPECT_EQ(first->element_bytes, 4u);
  EXPECT_EQ(first->dimensions, (std::vector<std::string>{"kRows", "TILE + 1"}));
  EXPECT_EQ(first->sizes, (std::vector<uint64_t>{32, 17}));
  const auto other = find("other", 8, 16);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->type, "float");
  EXPECT_EQ(other->sizes, (std::vector<uint64_t>{4}));
}

TEST(Declaration, one_unknown_name_follows_from_the_size) {
  const auto second = find("tile", 99, 32 * 33 * 4);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->line, 11u);
  EXPECT_EQ(second->sizes, (std::vector<uint64_t>{32, 33}));
  const auto triples = find("triples", 99, 12 * 40);
  ASSERT_TRUE(triples);
  EXPECT_EQ(triples->element_bytes, 12u);
  EXPECT_EQ(triples->sizes, (std::vector<uint64_t>{40}));
}

TEST(Declaration, elements_of_a_struct_are_the_array_divided) {
  const auto particles = find("particles", 99, 768);
  ASSERT_TRUE(particles);
  EXPECT_EQ(particles->type, "Particle");
  EXPECT_EQ(particles->element_bytes, 12u);
}

TEST(Declaration, dynamic_memory_needs_a_type_that_is_built_in) {
  EXPECT_EQ(find("bytes", 99, 0).value_or(Declaration()).element_bytes, 1u);
  EXPECT_FALSE(find("all", 99, 0));
}

TEST(Declaration, one_of_another_size_is_none) {
  EXPECT_FALSE(find("tile", 8, 4096));        // 32 x 17 floats are not
  EXPECT_FALSE(find("particles", 99, 1000));  // nor a multiple of 64
  EXPECT_FALSE(find("nothing", 99, 4));
  EXPECT_FALSE(find("", 99, 4));
}

TEST(Declaration, places_stay_where_comments_and_strings_were) {
  EXPECT_EQ(without_comments("a /* b\nc */ d // e\n\"f\\\"\" 1'000 'g'"), "a     \n     d     \n\"   \" 1'000 ' '");
  EXPECT_EQ(without_comments("/*"), "  ");
  EXPECT_EQ(without_comments("\""), "\"");
}

}  // namespace
}  // namespace bankshot::fix
