// Runs a kernel given as PTX text: what the tests of the engine share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"

namespace bankshot::simt {

class EngineTest : public ::testing::Test {
 protected:
  /// A module of one kernel `k` with a pointer parameter `out` (register %rd1 holds it) and this body.
  static std::string kernel(const std::string& body, const std::string& before = {}) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n" + before +
           "\n.visible .entry k(.param .u64 out) {\n.reg .b32 %r<32>; .reg .b64 %rd<32>; .reg .pred %p<8>; .reg .f32 "
           "%f<16>;\n"
           "ld.param.u64 %rd1, [out];\n" +
           body + "\n}\n";
  }

  Engine& engine() {
    if (!engine_) engine_ = std::make_unique<Engine>(options);
    return *engine_;
  }

  /// Loads and runs `k` with a zeroed buffer of `words`. What it leaves there is in `out`.
  Result<LaunchStats, Fault> run(const std::string& text, Dim3 grid, Dim3 block, size_t words,
                                 uint32_t dynamic_shared = 0) {
    auto program = engine().load(text, "test.ptx");
    if (!program) {
      ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", text);
      return Fault{};
    }
    const uint64_t buffer = *engine().memory().allocate(words * 4, MemoryKind::device);
    LaunchConfig config;
    config.grid = grid;
    config.block = block;
    config.dynamic_shared = dynamic_shared;
    config.cooperative = cooperative;
    config.cluster = cluster;
    config.explicit_cluster = cluster.count() > 1;
    config.params = std::as_bytes(std::span(&buffer, 1));
    Result<LaunchStats, Fault> result = engine().launch(**program, "k", config);
    out.resize(words);
    std::memcpy(out.data(), reinterpret_cast<const void*>(buffer), words * 4);
    engine().memory().free(buffer);
    return result;
  }

  std::string refusal(const std::string& text) {
    const auto program = engine().load(text, "test.ptx");
    return program ? "" : format_diagnostics(program.error(), "test.ptx", text);
  }

  /// %r1 = linear thread index in the CTA, %rd2 = &out[%r1 + ctaid * ntid]
  static inline const std::string kThread =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;"
      "mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2;\n";

  EngineOptions options;
  bool cooperative = false;
  Dim3 cluster;
  std::vector<uint32_t> out;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace bankshot::simt
