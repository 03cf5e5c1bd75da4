// What lowering atom and red tells the program, seen through the engine.
#include <gtest/gtest.h>

#include "bankshot/simt/run/engine.hpp"

namespace bankshot::simt {
namespace {

/// Runs a kernel with body `body` in 4 CTAs of 64 threads. @return why its CTAs may not run in parallel
std::string why_serial(const std::string& body) {
  Engine engine(EngineOptions{});
  const auto loaded = engine.load(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .shared .align 4 .b32 sh[4];\n"
      "ld.param.u64 %rd1, [p];\n" +
          body + "\nret;\n}\n",
      "test.ptx");
  EXPECT_TRUE(loaded) << body;
  if (!loaded) return "refused";
  const uint64_t memory = *engine.memory().allocate(64, MemoryKind::device);
  LaunchConfig config;
  config.grid.x = 4;
  config.block.x = 64;
  config.params = std::as_bytes(std::span(&memory, 1));
  const auto stats = engine.launch(**loaded, "k", config);
  EXPECT_TRUE(stats) << body;
  return stats ? stats->why_serial : "faulted";
}

TEST(AtomicLowering, tells_whether_ctas_can_see_each_other) {
  EXPECT_EQ(why_serial("red.global.add.u32 [%rd1], 1;"), "");
  EXPECT_EQ(why_serial("atom.global.max.s32 _, [%rd1+4], 1;"), "");
  EXPECT_EQ(why_serial("atom.shared.cas.b32 %r1, [sh], 0, 1;"), "");
  EXPECT_EQ(why_serial("atom.add.u32 %r1, [sh+4], 1;"), "");         // a name says where it is
  EXPECT_EQ(why_serial("atom.global.add.u32 %r1, [%rd1], 1;"), "");  // nobody reads %r1
  EXPECT_NE(why_serial("atom.global.add.u32 %r1, [%rd1], 1; add.u32 %r2, %r1, 1;").find("result used"),
            std::string::npos);
  EXPECT_NE(why_serial("red.add.f32 [%rd1], 0f3F800000;").find("red.add.f32"), std::string::npos);
  EXPECT_NE(why_serial("red.global.inc.u32 [%rd1], 7;").find("order"), std::string::npos);
}

TEST(AtomicLowering, rejects_what_the_manual_does_not_have) {
  for (const char* line : {"red.global.exch.b32 [%rd1], 1;", "atom.global.add.f16 %r1, [%rd1], %r2;",
                           "atom.global.and.u32 %r1, [%rd1], 1;", "atom.global.add.u32 %r1, [%rd1];",
                           "atom.local.add.u32 %r1, [%rd1], 1;"}) {
    Engine engine(EngineOptions{});
    EXPECT_FALSE(
        engine.load(std::string(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                                ".reg .b64 %rd<4>; .reg .b32 %r<4>;\n") +
                        line + "\nret;\n}\n",
                    "test.ptx"))
        << line;
  }
}

}  // namespace
}  // namespace bankshot::simt
