// Advice is written into the source.
#include <gtest/gtest.h>

#include "bankshot/fix/change_source.hpp"

namespace bankshot::fix {
namespace {

SourceChange change_of(std::string_view source, const std::string& name, uint64_t bytes) {
  SourceChange change;
  change.array = {name, bytes, {4}, "a.cu:9", find_declaration(source, name, 99, bytes)};
  return change;
}

std::string changed(std::string_view source, const SourceChange& change) {
  const Result<std::string> text = change_source(source, {change}, 4);
  return text ? *text : "error: " + text.error().message;
}

constexpr char kOne[] = R"(#include <x.h>
namespace n {
int other;  // tile[0]
/* the kernel */
template <int N> __global__ void k(int* out) {
  __shared__ float tile[1024];
  tile[tile[3]] = "tile[4]"[0];  // tile[5]
  if (out[0] != 0) { out[1] = tile [ f(1, 2) ] + s.tile[6]; }
}
void tile();
}
)";

TEST(ChangeSource, indices_go_through_a_function_above_the_kernel) {
  SourceChange change = change_of(kOne, "tile", 4096);
  change.padding = scratchpad::Padding{.row = 32, .words = 1};
  EXPECT_EQ(changed(kOne, change), R"(#include <x.h>
namespace n {
int other;  // tile[0]
/* the kernel */
static_assert(sizeof(float) == 4);
__host__ __device__ constexpr unsigned padded_tile_6(unsigned i) { return i + i / 32 * 1; }
template <int N> __global__ void k(int* out) {
  __shared__ float tile[1056];
  tile[padded_tile_6(tile[padded_tile_6(3)])] = "tile[4]"[0];  // tile[5]
  if (out[0] != 0) { out[1] = tile [padded_tile_6( f(1, 2) )] + s.tile[6]; }
}
void tile();
}
)");
}

constexpr char kTwo[] = R"(
__global__ void k() {
  __shared__ int tile[W][H];
  tile[threadIdx.y][a + b] = 1;
}
)";

TEST(ChangeSource, two_dimensions_become_one_index) {
  const std::string source = "constexpr int W = 32, H = 32;" + std::string(kTwo);
  SourceChange change = change_of(source, "tile", 4096);
  change.hash = *scratchpad::swizzle_hash({10, 5}, 5, 0, 5);
  const std::string text = changed(source, change);
  EXPECT_NE(text.find("__shared__ __align__(128) int tile[W][H];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("(&tile[0][0])[place_tile_3((threadIdx.y) * (H) + (a + b))] = 1;"), std::string::npos) << text;
  EXPECT_NE(text.find("unsigned place_tile_3(unsigned a)"), std::string::npos) << text;
}

TEST(ChangeSource, longer_rows_change_the_declaration_alone) {
  const std::string source = "constexpr int W = 32, H = 32;" + std::string(kTwo);
  SourceChange change = change_of(source, "tile", 4096);
  change.padding = scratchpad::Padding{.row = 32, .words = 1};
  std::string wanted = source;
  wanted.replace(wanted.find("[W][H]"), 6, "[W][H + 1]");
  EXPECT_EQ(changed(source, change), wanted);
}

TEST(ChangeSource, other_uses_are_refused_with_their_line) {
  const auto refusal = [](const std::string& use) {
    const std::string source = "__global__ void k() {\n  __shared__ int tile[64];\n  " + use + "\n}\n";
    SourceChange change = change_of(source, "tile", 256);
    change.padding = scratchpad::Padding{.row = 32, .words = 1};
    return changed(source, change);
  };
  for (const char* use : {"f(tile);", "int* p = &tile[3];", "tile[", "*tile = 1;"}) {
    EXPECT_EQ(refusal(use), "error: tile (line 2) is not changed in the source: line 3 uses it other than by index")
        << use;
  }
}

}  // namespace
}  // namespace bankshot::fix
