// Runs a kernel that copies boxes of a tensor: what the tests of tensor copies share.
#pragma once

#include <cstring>

#include "bankshot/simt/async/tensor_map.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {

class TensorCopy : public EngineTest {
 protected:
  /// Runs `body` with a map at out, and data behind it that begins at out + 256.
  Result<LaunchStats, Fault> run_with(const std::string& body, size_t words, const TensorShape& shape, auto&& encode,
                                      const std::vector<uint32_t>& data) {
    auto program = engine().load(kernel(kBegin + body, "\n"), "test.ptx");
    if (!program) {
      ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", body);
      return Fault{};
    }
    const uint64_t buffer = *engine().memory().allocate(words * 4, MemoryKind::device);
    TensorShape there = shape;
    there.address = buffer + 256;
    TensorMap map;
    EXPECT_EQ(encode(there, map), "");
    std::memcpy(reinterpret_cast<void*>(buffer), static_cast<const void*>(&map), sizeof map);
    std::memcpy(reinterpret_cast<void*>(buffer + 256), data.data(), data.size() * 4);
    LaunchConfig config;
    config.grid = {1};
    config.block = {32};
    config.params = std::as_bytes(std::span(&buffer, 1));
    auto result = engine().launch(**program, "k", config);
    out.resize(words);
    std::memcpy(out.data(), reinterpret_cast<const void*>(buffer), words * 4);
    engine().memory().free(buffer);
    return result;
  }
  static inline const std::string kBegin =
      ".shared .align 128 .b8 s[9216]; .shared .align 8 .b64 bar; mov.u32 %r1, %tid.x; mov.u32 %r20, s; mov.u32 %r21, "
      "bar;"
      "setp.eq.u32 %p2, %r1, 0; @%p2 mbarrier.init.shared.b64 [%r21], 1; bar.sync 0;\n";
  static std::string wait(unsigned bytes) {
    return "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r21], " + std::to_string(bytes) +
           ";\nW: mbarrier.try_wait.parity.shared.b64 %p1, [%r21], 0; @!%p1 bra W;\n";
  }
};

}  // namespace bankshot::simt
