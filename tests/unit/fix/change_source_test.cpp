// Advice is written into the source.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bankshot/fix/change_source.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

SourceChange change_of(std::string_view source, const std::string& name, uint64_t bytes) {
  return {{name, bytes, {4}, "a.cu:9", find_declaration(source, name, "k", bytes)}, scratchpad::Padding{32, 1}};
}

std::string changed(std::string_view source, const SourceChange& change) {
  const ChangedText done = change_source(source, {change}, 4);
  return done.refusals.at(0).empty() ? done.text : "error: " + done.refusals[0];
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
  const SourceChange change = change_of(kOne, "tile", 4096);
  EXPECT_EQ(changed(kOne, change), R"(#include <x.h>
namespace n {
int other;  // tile[0]
/* the kernel */
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

TEST(ChangeSource, edits_are_whole_lines) {
  const ChangedText done = change_source(kOne, {change_of(kOne, "tile", 4096)}, 4);
  using Lines = std::vector<std::string>;
  const std::string head = "template <int N> __global__ void k(int* out) {";
  EXPECT_EQ(
      done.edits,
      (std::vector<LineEdit>{
          {5, Lines{head},
           Lines{"__host__ __device__ constexpr unsigned padded_tile_6(unsigned i) { return i + i / 32 * 1; }", head}},
          {6, Lines{"  __shared__ float tile[1024];"}, Lines{"  __shared__ float tile[1056];"}},
          {7, Lines{"  tile[tile[3]] = \"tile[4]\"[0];  // tile[5]"},
           Lines{"  tile[padded_tile_6(tile[padded_tile_6(3)])] = \"tile[4]\"[0];  // tile[5]"}},
          {8, Lines{"  if (out[0] != 0) { out[1] = tile [ f(1, 2) ] + s.tile[6]; }"},
           Lines{"  if (out[0] != 0) { out[1] = tile [padded_tile_6( f(1, 2) )] + s.tile[6]; }"}}}));
}

TEST(ChangeSource, an_edit_that_joins_lines_is_one) {
  const std::string source =
      "constexpr int W = 32, H = 32;\r\n__global__ void k() {\r\n  __shared__ int tile[W][H];\r\n  tile[1]\r\n  [2] = "
      "1;\r\n}";
  SourceChange change = change_of(source, "tile", 4096);
  change.move = *scratchpad::swizzle_hash({10, 5}, 5, 0, 5);
  const ChangedText done = change_source(source, {change}, 4);
  ASSERT_EQ(done.edits.size(), 3U) << done.refusals.at(0);  // above the kernel, the declaration, the access
  EXPECT_EQ(done.edits[2].line, 4U);
  EXPECT_EQ(done.edits[2].before, (std::vector<std::string>{"  tile[1]", "  [2] = 1;"}));
  EXPECT_EQ(done.edits[2].after, std::vector<std::string>{"  (&tile[0][0])[place_tile_3((1) * (H) + (2))] = 1;"});
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
  change.move = *scratchpad::swizzle_hash({10, 5}, 5, 0, 5);
  const std::string text = changed(source, change);
  EXPECT_NE(text.find("__shared__ __align__(128) int tile[W][H];\n"), std::string::npos) << text;
  EXPECT_NE(text.find("(&tile[0][0])[place_tile_3((threadIdx.y) * (H) + (a + b))] = 1;"), std::string::npos) << text;
  EXPECT_NE(text.find("unsigned place_tile_3(unsigned a)"), std::string::npos) << text;
}

TEST(ChangeSource, longer_rows_change_the_declaration_alone) {
  const std::string source = "constexpr int W = 32, H = 32;" + std::string(kTwo);
  const SourceChange change = change_of(source, "tile", 4096);
  std::string wanted = source;
  wanted.replace(wanted.find("[W][H]"), 6, "[W][H + 1]");
  EXPECT_EQ(changed(source, change), wanted);
}

/// What becomes of a kernel with an array of structs whose elements get a word more.
std::string with_longer_elements(const std::string& declaration, const std::string& use) {
  const std::string source = "__global__ void k() {\n  " + declaration + "\n  " + use + "\n}\n";
  const SourceArray array{"near", 2048, {4}, "a.cu:3", find_declaration(source, "near", "k", 2048)};
  if (!array.declaration) return "no declaration";
  return changed(source, {array, scratchpad::Padding{8, 1}});
}

TEST(ChangeSource, longer_elements_are_members_of_another_type) {
  EXPECT_EQ(with_longer_elements("__shared__ __align__(128) n::P near[8][8];",
                                 "near[i][j].x = atomicAdd(&near[0][near[1][2].k].x, 1);"),
            "__global__ void k() {\n  struct padded_near_2 { n::P element; unsigned padding[1]; }; "
            "static_assert(sizeof(padded_near_2) == 36, \"n::P is aligned to more than its padding\"); __shared__ "
            "__align__(128) padded_near_2 near[8][8];\n  near[i][j].element.x = "
            "atomicAdd(&near[0][near[1][2].element.k].element.x, 1);\n}\n");
  // The s of __shared__ is no type.
  const std::string changed = with_longer_elements("__shared__ s near[64];", "near[i].x = 1;");
  EXPECT_NE(changed.find("; __shared__ padded_near_2 near[64];"), std::string::npos) << changed;
  const std::string start = "error: near (line 2) is not changed in the source: ";
  EXPECT_EQ(with_longer_elements("__shared__ P near[64];", "f(&near[3]);"),
            start + "line 3 uses it other than by index");
  EXPECT_EQ(with_longer_elements("__shared__ P near[64];", "near->x = 1;"),
            start + "line 3 uses it other than by index");
  EXPECT_EQ(with_longer_elements("__shared__ P other[64], near[64];", "near[i].x = 1;"),
            start + "its declaration is one of several names");
  EXPECT_EQ(with_longer_elements("__shared__ n :: P near[64];", "near[i].x = 1;"),
            start + "its declaration does not have the type once, as n::P");
}

TEST(ChangeSource, dynamic_arrays_are_hashed_in_whole_rows) {
  const std::string source = "__global__ void k() {\n  extern __shared__ int tile[];\n  tile[i] = 1;\n}\n";
  SourceChange change = change_of(source, "tile", 0);
  EXPECT_EQ(changed(source, change),
            "error: tile (line 2) is not changed in the source: it is dynamic: its launch, which is not changed, would "
            "have to give it more bytes");
  change.move = *scratchpad::swizzle_hash({10, 5}, 5, 0, 5);
  change.unit = 4100;
  EXPECT_EQ(changed(source, change),
            "error: tile (line 2) is not changed in the source: it is dynamic: a launch gives it bytes that are no "
            "multiple of 128, a row of the banks");
  change.unit = 384;
  const std::string text = changed(source, change);
  EXPECT_EQ(text.find("// Launches give tile a multiple of 128 bytes.\n"), 0u) << text;
  EXPECT_NE(text.find("  extern __shared__ __align__(128) int tile[];\n  tile[place_tile_2(i)] = 1;\n"),
            std::string::npos)
      << text;
}

TEST(ChangeSource, other_uses_are_refused_with_their_line) {
  const auto refusal = [](const std::string& use) {
    const std::string source = "__global__ void k() {\n  __shared__ int tile[64];\n  " + use + "\n}\n";
    const SourceChange change = change_of(source, "tile", 256);
    return changed(source, change);
  };
  for (const char* use : {"f(tile);", "int* p = &tile[3];", "tile[", "*tile = 1;", "f(&tile[1]);"}) {
    EXPECT_EQ(refusal(use), "error: tile (line 2) is not changed in the source: line 3 uses it other than by index")
        << use;
  }
}

/// What becomes of a statement of a kernel with `__shared__ int tile[64];`.
std::string statement(const std::string& use) {
  const std::string source = "__global__ void k() {\n  __shared__ int tile[64];\n  " + use + "\n}\n";
  const std::string text = changed(source, change_of(source, "tile", 256));
  const std::string start = "  __shared__ int tile[66];\n  ";
  const size_t at = text.find(start);
  return at == std::string::npos ? text : text.substr(at + start.size(), text.size() - at - start.size() - 3);
}

TEST(ChangeSource, uses_are_told_from_what_looks_like_them) {
  const std::string i = "[padded_tile_2(i)]";
  EXPECT_EQ(statement("p->tile[i] = q.tile[i] + X::tile[i] + tile[i];"),
            "p->tile[i] = q.tile[i] + X::tile[i] + tile" + i + ";");
  EXPECT_EQ(statement("x = mask & tile[i];"), "x = mask & tile" + i + ";");
  EXPECT_EQ(statement("x = (a + b) & tile[i];"), "x = (a + b) & tile" + i + ";");
  EXPECT_EQ(statement("x = f(a) & tile[i] && tile[i];"), "x = f(a) & tile" + i + " && tile" + i + ";");
  EXPECT_EQ(statement("return tile[i];"), "return tile" + i + ";");
  EXPECT_EQ(statement("f(a, tile[i]);"), "f(a, tile" + i + ");");
  EXPECT_EQ(statement("atomicAdd(&tile[i], tile[i]);"), "atomicAdd(&tile" + i + ", tile" + i + ");");
  EXPECT_EQ(statement("static_assert(true);  int tile_2 = tile[i];"),
            "static_assert(true);  int tile_2 = tile" + i + ";");
}

TEST(ChangeSource, what_cannot_be_told_is_refused) {
  const std::string start = "error: tile (line 2) is not changed in the source: ";
  EXPECT_EQ(statement("x = *(float4*)&tile[i];"), start + "line 3 takes its address, or may");
  EXPECT_EQ(statement("x = (mask) & tile[i];"), start + "line 3 takes its address, or may");
  EXPECT_EQ(statement("{ float tile[4]; tile[i] = 1; }"), start + "line 3 declares another of this name");
  EXPECT_EQ(statement("{ int x, tile[4]; tile[i] = 1; }"), start + "line 3 declares another of this name");
  EXPECT_EQ(statement("\n#define AT(i) \\\n  tile[i]\n AT(3) = 1;"), start + "line 5 uses it in a macro");
  EXPECT_EQ(statement("x = 1;"), start + "nothing uses it by its name");
}

TEST(ChangeSource, names_of_one_letter_leave_the_functions_whole) {
  for (const char* name : {"a", "h", "d", "i", "s"}) {
    const std::string source = fmt::format("__global__ void k() {{ __shared__ int {0}[1024]; {0}[j] = 1; }}", name);
    SourceChange change = change_of(source, name, 4096);
    change.move = *scratchpad::swizzle_hash({10, 5}, 5, 0, 5);
    const std::string text = changed(source, change), own = fmt::format("_{}_1", name);
    const std::string expected = scratchpad::cpp_source(std::get<scratchpad::BankHash>(change.move), own.substr(1));
    EXPECT_EQ(text, expected + fmt::format("__global__ void k() {{ __shared__ __align__(128) int {0}[1024]; "
                                           "{0}[place{1}(j)] = 1; }}",
                                           name, own));
  }
}

TEST(ChangeSource, functions_stand_above_the_kernel_and_below_macros) {
  const std::string head = "#define STOP \\\n  do { x; \\\n} while (0)\n", kernel = "__global__ void k() {";
  const std::string source = head + kernel + " __shared__ int tile[64]; tile[i] = 1; }";
  EXPECT_TRUE(changed(source, change_of(source, "tile", 256)).starts_with(head + "__host__ __device__ constexpr"));
  const std::string named = "struct S {}; __global__ void namespace_k() { __shared__ int tile[64]; tile[i] = 1; }";
  EXPECT_TRUE(changed(named, change_of(named, "tile", 256)).starts_with("struct S {}; \n__host__"));
}

TEST(ChangeSource, dimensions_that_are_not_known_do_not_grow) {
  const std::string source = "__global__ void k() { __shared__ int tile[f(16)][16]; tile[i][j] = 1; }";
  SourceChange change = change_of(source, "tile", 1024);
  ASSERT_TRUE(change.array.declaration);
  EXPECT_TRUE(change.array.declaration->sizes.empty());
  EXPECT_EQ(changed(source, change), "error: tile (line 1) is not changed in the source: its dimensions are not known");
}

TEST(ChangeSource, longer_rows_need_uses_by_row) {
  const auto use = [](const std::string& text) {
    const std::string source = "__global__ void k() {\n  __shared__ int tile[32][32];\n  " + text + "\n}\n";
    return changed(source, change_of(source, "tile", 4096));
  };
  const std::string refusal = "error: tile (line 2) is not changed in the source: line 3 uses it other than by index";
  EXPECT_EQ(use("int* p = &tile[0][0];"), refusal);
  EXPECT_EQ(use("int* p = tile[0];"), refusal);
  EXPECT_EQ(use("f(tile);"), refusal);
  EXPECT_EQ(use("x = (*tile)[i];"), refusal);
  for (const char* fine : {"tile[0][0] = 1;", "int* p = tile[y];", "copy(&tile[y][x]);"})
    EXPECT_NE(use(fine).find("tile[32][32 + 1]"), std::string::npos) << fine;
}

TEST(ChangeSource, what_is_known_of_the_elements_is_checked_behind_the_declaration) {
  const std::string source = "template <class T> __global__ void k() { __shared__ T tile[64]; tile[i] = 1; }";
  const std::string text = changed(source, change_of(source, "tile", 256));
  EXPECT_NE(text.find("__shared__ T tile[66]; static_assert(sizeof(T) == 4);"), std::string::npos) << text;
}

}  // namespace
}  // namespace bankshot::fix
