// Instructions that say something to the hardware and nothing about values; and numbers as operands.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "run_form.hpp"

namespace bankshot::simt::conformance {
namespace {

/// Runs `body`, which leaves a number in register %d, on one warp. @return the number, nothing if it was refused
std::optional<uint64_t> run_body(const Host& host, const std::string& body) {
  Engine& engine = *host.engine;
  const std::string text =
      ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
      ".reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d, %rd<4>, %out; .reg .pred %p<4>;\n.shared .align 16 .b8 "
      "room[64];\n"
      "ld.param.u64 %out, [out]; mov.b64 %d, 0;\n" +
      body + "\nst.global.b64 [%out], %d;\n}\n";
  auto program = engine.load(text, "hints.ptx");
  if (!program) {
    ADD_FAILURE() << format_diagnostics(program.error(), "hints.ptx", text);
    return {};
  }
  const uint64_t out = *engine.memory().allocate(128, MemoryKind::device, 128);
  LaunchConfig config;
  config.block = {32, 1, 1};
  config.params = std::as_bytes(std::span(&out, 1));
  const auto result = engine.launch(**program, "k", config);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  uint64_t d = 0;
  std::memcpy(&d, reinterpret_cast<const void*>(out), 8);
  engine.memory().free(out);
  return d;
}

TEST(Hints, change_no_values) {
  const std::vector<Host> all = hosts();
  for (const char* hint : {"prefetch.global.L1 [%out];",
                           "prefetch.L2 [%out];",
                           "prefetch.global.L2::evict_last [%out];",
                           "prefetchu.L1 [%out];",
                           "discard.global.L2 [%out], 128;",
                           "applypriority.global.L2::evict_normal [%out], 128;",
                           "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;",
                           "createpolicy.range.L2::evict_last.L2::evict_first.b64 %rd1, [%out], 64, 128;",
                           "createpolicy.cvt.L2.b64 %rd1, %out;",
                           "prefetch.param.tensormap [%out];",
                           "prefetch.tensormap [%out];",
                           "cp.async.bulk.prefetch.L2.global [%out], 16;",
                           "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%out], 16, %d;",
                           "fence.sc.gpu;",
                           "fence.cta;",
                           "membar.proxy.alias;",
                           "fence.proxy.alias;",
                           "fence.proxy.async.global;",
                           "fence.proxy.tensormap::generic.release.sys;",
                           "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
                           "fence.release.sync_restrict::shared::cta.cluster;",
                           "brkpt;",
                           "griddepcontrol.launch_dependents;",
                           "griddepcontrol.wait;",
                           "pmevent 7;",
                           "pmevent.mask 3;",
                           "setmaxnreg.inc.sync.aligned.u32 64;",
                           "setmaxnreg.dec.sync.aligned.u32 32;"}) {
    for (const Host& host : all) {
      EXPECT_EQ(run_body(host, fmt::format(
                                   "mov.b64 %d, 42; mov.b32 %r1, 7;\n{}\ncvt.u64.u32 %rd2, %r1; add.u64 %d, %d, %rd2;",
                                   hint)),
                49u)
          << hint << " with " << host.isa;
    }
  }
}

/// Numbers in the text, as PTX writes them, and what an instruction takes them for. Source: PTX ISA, "Constants".
TEST(Numbers, are_of_the_type_of_their_operand) {
  struct Case {
    const char* body;
    uint64_t wanted;
  };
  static constexpr Case kCases[] = {
      {"mov.u64 %d, 0xffffffffffffffff;", 0xffffffffffffffff},
      {"mov.u64 %d, 4294967295;", 0xffffffff},
      {"add.s64 %d, %d, 4294967295;", 0xffffffff},
      {"add.s64 %d, %d, -1;", 0xffffffffffffffff},
      {"mov.u64 %d, 18446744073709551615U;", 0xffffffffffffffff},
      {"mov.s64 %d, -9223372036854775808;", 0x8000000000000000},
      {"mov.u32 %r1, -1; cvt.u64.u32 %d, %r1;", 0xffffffff},
      {"mov.u32 %r1, 0777; cvt.u64.u32 %d, %r1;", 511},
      {"mov.u32 %r1, 0b101; cvt.u64.u32 %d, %r1;", 5},
      {"mov.b32 %r1, 0f3F800000; cvt.u64.u32 %d, %r1;", 0x3f800000},
      {"mov.f32 %r1, 0.1; cvt.u64.u32 %d, %r1;", 0x3dcccccd},
      {"mov.f32 %r1, -1.5e3; cvt.u64.u32 %d, %r1;", 0xc4bb8000},
      {"mov.f32 %r1, 0f40000000; add.f32 %r1, %r1, 0f3F000000; cvt.u64.u32 %d, %r1;", 0x40200000},
      {"mov.f32 %r1, 0f40000000; add.f32 %r1, %r1, 0.5; cvt.u64.u32 %d, %r1;", 0x40200000},
      {"mov.f64 %d, 0d3FF0000000000000; add.f64 %d, %d, 0.25;", 0x3ff4000000000000},
      {"mov.f64 %d, 1.0;", 0x3ff0000000000000},
      {"mov.b16 %h1, 0x8000; cvt.s64.s16 %d, %h1;", 0xffffffffffff8000},
      {"mov.u16 %h1, -2; cvt.u64.u16 %d, %h1;", 0xfffe},
      {"mov.b16 %h1, 0x3C00; mov.b16 %h3, 0x4000; fma.rn.f16 %h2, %h1, %h1, %h3; cvt.u64.u16 %d, %h2;", 0x4200},
      {"mov.u32 %r1, 8; shl.b32 %r2, %r1, 28; cvt.u64.u32 %d, %r2;", 0x80000000},
      {"mov.u32 %r1, 0xdeadbeef; mul.wide.u32 %d, %r1, 16;", 0xdeadbeef0},
      {"mov.s32 %r1, -3; mul.wide.s32 %d, %r1, -5;", 15},
      {"mov.s32 %r1, 7; mad.wide.s32 %d, %r1, -2, -1;", static_cast<uint64_t>(-15)},
      {"mov.b64 %d, {5, 6};", 0x600000005},
      {"mov.b32 %r1, {1, 0xffff}; cvt.u64.u32 %d, %r1;", 0xffff0001},
      {"mov.b64 %rd1, 0x0123456789abcdef; mov.b64 {%r1, %r2}, %rd1; mov.b64 %d, {%r2, %r1};", 0x89abcdef01234567},
      {"mov.b64 %rd1, 0x0123456789abcdef; mov.b64 {%h0, %h1, %h2, %h3}, %rd1; mov.b64 %d, {%h3, %h2, %h1, %h0};",
       0xcdef89ab45670123},
      {"mov.b64 %rd1, 0x0123456789abcdef; mov.b64 {_, %r2}, %rd1; cvt.u64.u32 %d, %r2;", 0x01234567},
      {"setp.lt.s32 %p1, -1, 0; selp.b64 %d, 1, 2, %p1;", 1},
      {"setp.lt.u32 %p1, -1, 0; selp.b64 %d, 1, 2, %p1;", 2},
      {"setp.lt.f32 %p1, 0fBF800000, 0.0; selp.b64 %d, 1, 2, !%p1;", 2},
      {"mov.u32 %r1, WARP_SZ; cvt.u64.u32 %d, %r1; shr.u64 %d, %d, 5; add.u64 %d, %d, 1; min.u64 %d, %d, 2;", 2},
      {"mov.u64 %d, 3 + 4 * 5;", 23},
      {"mov.u64 %d, (3 << 4) | 1;", 49},
      {"mov.u32 %r1, -(2 - 9); cvt.u64.u32 %d, %r1;", 7},
  };
  const std::vector<Host> all = hosts();
  for (const Case& c : kCases) {
    for (const Host& host : all) EXPECT_EQ(run_body(host, c.body), c.wanted) << c.body << " with " << host.isa;
  }
}

}  // namespace
}  // namespace bankshot::simt::conformance
