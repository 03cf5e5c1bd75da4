// Source places: the user's own line, and the chain of inlined calls.
#include "bankshot/ptx/places.hpp"

#include "bankshot/ptx/link.hpp"
#include "ptx_helpers.hpp"

namespace bankshot::ptx {
namespace {

const std::vector<std::string> kNoRoots;

TEST(LibraryHeaders, are_those_of_system_toolkit_and_known_libraries) {
  for (const char* file :
       {"/usr/include/c++/12/cmath", "/usr/local/cuda/include/cuda_fp16.hpp",
        "/usr/local/cuda-12.4/targets/x86_64-linux/include/mma.h", "/home/me/cutlass/include/cute/arch/copy_sm75.hpp",
        "/home/me/cub/cub/block/block_scan.cuh", "../include/bankshot/tm.cuh", "/opt/x/include/thrust/sort.h",
        "/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include/cuda_fp16.h",
        "/home/me/cutlass/examples/../include/cutlass/gemm/kernel.h",
        "/venv/lib/python3.11/site-packages/triton/language/standard.py"}) {
    EXPECT_TRUE(is_library_header(file, kNoRoots)) << file;
  }
  for (const char* file : {"/home/me/cuda/tiles/tile.cuh", "/home/me/project/include/tile.cuh", "tile.cuh", "",
                           "/home/me/cutlass/examples/a.cu", "/usr/includes/a.cu", "/home/nvidia/cutest/a/b.cu",
                           "/home/me/cuda-samples/include/a.h", "/home/me/my_cub/scan.cuh", "/home/me/include/cute.cuh",
                           "/home/me/triton/kernel.py", "/venv/lib/python3.11/site-packages/kernels/matmul.py"}) {
    EXPECT_FALSE(is_library_header(file, kNoRoots)) << file;
  }
}

TEST(LibraryHeaders, are_those_below_given_folders) {
  const std::vector<std::string> roots = {"/home/me/lib", "third_party/kittens"};
  EXPECT_TRUE(is_library_header("/home/me/lib/a/b.cuh", roots));
  EXPECT_TRUE(is_library_header("/home/me/app/../lib/b.cuh", roots));
  EXPECT_TRUE(is_library_header("/any/where/third_party/kittens/tile.cuh", roots));
  EXPECT_FALSE(is_library_header("/home/me/library/b.cuh", roots));
  EXPECT_TRUE(is_library_header("/home/me/lib", roots));
  EXPECT_FALSE(is_library_header("/other/home/me/lib/b.cuh", roots));
}

TEST(LibraryHeaders, folders_are_separated_by_colons) {
  EXPECT_EQ(folders_of("/a/:b::/"), (std::vector<std::string>{"/a", "b", "/"}));
  EXPECT_TRUE(folders_of("").empty());
}

/// As nvcc writes it: copy() of a library calls get() of it, and is called by tile() of the project, which the kernel
/// calls.
const std::string kInlined = R"(
.visible .entry k() {
.reg .b32 %r<9>;
.loc 1 3 0
mov.b32 %r1, 1;
.loc 1 9 5
.loc 2 20 3, function_name $L__info_string0, inlined_at 1 9 5
.loc 3 30 7, function_name $L__info_string1, inlined_at 2 20 3
.loc 3 31 9, function_name $L__info_string1 + 13, inlined_at 3 30 7
mov.b32 %r2, 2;
.loc 1 10 1
ret;
}
.file 1 "/home/me/app.cu"
.file 2 "/home/me/tile.cuh"
.file 3 "/usr/include/lib.h"
.section .debug_str {
$L__info_string0:
.b8 95,90,52,116,105,108,101,118,0
$L__info_string1:
.b8 95,90,52,99,111,112,121,73,105,69,118
.b8 118,0,103,101,116,0
}
)";

/// Where instruction `number` of the kernel is, and what its chain is.
struct Found {
  uint32_t file = 0, line = 0;
  std::vector<SourceFrame> frames;
};
std::vector<Found> places_in(const Module& module, const std::vector<std::string>& roots) {
  SourceMap map(module, roots);
  std::vector<Found> found;
  for (const Item& item : module.items) {
    const auto* function = std::get_if<Function>(&item);
    if (function == nullptr || function->body == nullptr) continue;
    Places places(map);
    places.start(*function->body);
    for (const Statement& statement : function->body->statements) {
      if (const auto* location = std::get_if<Location>(&statement)) places.set(*location);
      if (std::holds_alternative<Instruction>(statement))
        found.push_back({places.file, places.line, map.frames(places.chain)});
    }
  }
  return found;
}

TEST(Places, tell_the_users_own_line_and_the_chain_of_calls) {
  const std::vector<Found> found = places_in(parsed(kHeader + kInlined), kNoRoots);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_TRUE(found[0].frames.empty());
  EXPECT_EQ(found[1].file, 2u);
  EXPECT_EQ(found[1].line, 20u);
  const std::vector<SourceFrame> chain = {{"/usr/include/lib.h", 31, "get"},
                                          {"/usr/include/lib.h", 30, "void copy<int>()"},
                                          {"/home/me/tile.cuh", 20, "tile()"},
                                          {"/home/me/app.cu", 9, ""}};
  EXPECT_EQ(found[1].frames.size(), chain.size());
  for (size_t k = 0; k < chain.size() && k < found[1].frames.size(); ++k) {
    EXPECT_EQ(found[1].frames[k].file, chain[k].file) << k;
    EXPECT_EQ(found[1].frames[k].line, chain[k].line) << k;
    EXPECT_EQ(found[1].frames[k].function, chain[k].function) << k;
  }
  EXPECT_EQ(found[2].line, 10u);
}

TEST(Places, skip_headers_of_the_users_libraries) {
  const std::vector<Found> skipped = places_in(parsed(kHeader + kInlined), {"/home/me/tile.cuh"});
  EXPECT_EQ(skipped[1].file, 1u);
  EXPECT_EQ(skipped[1].line, 9u);
  const std::vector<Found> found = places_in(parsed(kHeader + kInlined), {"/home"});
  EXPECT_EQ(found[1].file, 3u);  // all are libraries' then: the innermost
  EXPECT_EQ(found[1].line, 31u);
}

TEST(Places, linked_code_keeps_the_names_of_inlined_functions) {
  std::vector<Unit> units;
  units.push_back({"a", parsed(kHeader + ".visible .entry first() { .loc 1 5 0\nret; }\n.file 1 \"b.cu\"\n")});
  units.push_back({"b", parsed(kHeader + kInlined)});
  const Result<Module> linked = link(std::move(units));
  ASSERT_TRUE(linked);
  const std::vector<Found> found = places_in(*linked, kNoRoots);
  ASSERT_EQ(found.size(), 4u);
  ASSERT_EQ(found[2].frames.size(), 4u);
  EXPECT_EQ(found[2].frames[1].function, "void copy<int>()");
  EXPECT_EQ(found[2].frames[2].file, "/home/me/tile.cuh");
}

TEST(Places, a_chain_that_goes_round_ends) {
  const std::vector<Found> found = places_in(
      parsed(kHeader +
             ".visible .entry k() { .loc 1 5 2, function_name $x, inlined_at 1 5 2\nret; }\n.file 1 \"b.cu\"\n"),
      kNoRoots);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 5u);
  EXPECT_EQ(found[0].frames.size(), 2u);
}

// Each call of tile() has the calls of get() in it inlined: the same directive comes from lines 9 and 12.
TEST(Places, equal_directives_belong_to_the_call_around_them) {
  const std::string call = ".loc 3 30 7, function_name $get, inlined_at 2 20 3\n";
  const std::string other = ".loc 3 31 7, function_name $get, inlined_at 2 20 3\n";
  const std::vector<Found> found = places_in(
      parsed(kHeader +
             ".visible .entry k() { .reg .b32 %r<9>;\n.loc 1 9 5\n.loc 2 20 3, function_name $tile, inlined_at "
             "1 9 5\n" +
             call + "mov.b32 %r1, 1;\n" + other +
             "mov.b32 %r2, 1;\n.loc 1 12 5\n.loc 2 20 3, function_name $tile, inlined_at 1 12 5\n" + call +
             "mov.b32 %r3, 1;\n" + other + "mov.b32 %r4, 1;\n.loc 1 9 5\nmov.b32 %r5, 1;\n" + call + "ret; }\n" +
             ".file 1 \"a.cu\"\n.file 2 \"/usr/include/b.h\"\n.file 3 \"/usr/include/c.h\"\n"),
      kNoRoots);
  const uint32_t lines[] = {9, 9, 12, 12, 9, 9};
  ASSERT_EQ(found.size(), std::size(lines));
  for (size_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k].line, lines[k]) << k;
}

// gemm() calls another instance of itself in line 20, and returns to it.
TEST(Places, instances_of_a_function_may_be_inlined_into_each_other) {
  const std::string outer = ".loc 2 20 3, function_name $x, inlined_at 1 5 2\n";
  const std::string inner = ".loc 2 20 3, function_name $y, inlined_at 2 20 3\n";
  const std::vector<Found> found = places_in(
      parsed(kHeader + ".visible .entry k() { .reg .b32 %r<9>;\n.loc 1 5 2\n" + outer + inner +
             ".loc 2 30 1, function_name $z, inlined_at 2 20 3\nmov.b32 %r1, 1;\n" + outer + "mov.b32 %r2, 1;\n" +
             inner + "mov.b32 %r3, 1;\n" + inner + "ret; }\n.file 1 \"a.cu\"\n.file 2 \"/usr/include/b.h\"\n"),
      kNoRoots);
  ASSERT_EQ(found.size(), 4u);
  const size_t depths[] = {4, 2, 3, 3};
  const uint32_t innermost[] = {30, 20, 20, 20};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(found[k].file, 1u) << k;
    EXPECT_EQ(found[k].line, 5u) << k;
    ASSERT_EQ(found[k].frames.size(), depths[k]) << k;
    EXPECT_EQ(found[k].frames[0].line, innermost[k]) << k;
    EXPECT_EQ(found[k].frames.back().line, 5u) << k;
  }
}

}  // namespace
}  // namespace bankshot::ptx
