// Kernels that use tensor memory (tcgen05), simulated.
#pragma once

#include "chip_harness.hpp"

namespace bankshot::timing {

/// Numbers that are easy to work with, but for those of a B300.
inline constexpr TensorMemoryConfig kTensorMemory = {.product_columns = 2,
                                                     .least_cycles = 44,
                                                     .latency = 40,
                                                     .alloc_cycles = 200,
                                                     .load_bytes = 53,
                                                     .store_bytes = 85,
                                                     .access_latency = 10};

/// Kernels of sm_100a. All cores of operands are the first 128 bytes of shared memory `s`: %rd4 is the descriptor. Warp
/// 0 has allocated `columns` at %r9; `bar` at %r10 is an mbarrier of one thread; %p2 is false in thread 0, %p3 in warp
/// 0, %p5 everywhere.
class TensorMemoryTest : public ChipTest {
 protected:
  static std::string kernel_of(const std::string& body, unsigned columns = 256, const std::string& group = "1") {
    return ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
           ".reg .b32 %r<99>; .reg .b64 %rd<32>; .reg .pred %p<8>; .reg .b16 %h<4>;\n"
           ".shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 bar; .shared .b32 place;\n"
           "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.ne.u32 %p2, %r1, 0; setp.ge.u32 %p3, %r1, 32;\n"
           "setp.ne.u32 %p5, %r1, %r1; mov.u32 %r10, bar; mov.u32 %r11, place;\n"
           "@!%p2 mbarrier.init.shared.b64 [%r10], 1;\n@%p3 bra A; tcgen05.alloc.cta_group::" +
           group + ".sync.aligned.shared::cta.b32 [%r11], " + std::to_string(columns) +
           ";\nA: bar.sync 0; ld.shared.b32 %r9, [place];\n"
           "mov.u32 %r8, s; bfe.u32 %r8, %r8, 4, 14; cvt.u64.u32 %rd3, %r8; or.b64 %rd4, %rd3, 0x0000400000000000;\n" +
           body + "\nret;\n}\n";
  }
  Cycle cycles_of(const std::string& text, unsigned threads = 32, unsigned ctas = 1) {
    renew();
    return cycles_of_text(text, {threads, 1, 1}, {ctas, 1, 1});
  }
  /// f16, with sums of f32.
  static std::string product(unsigned m, unsigned n, const std::string& a = "%rd4", const std::string& form = "") {
    return "mov.b32 %r12, " + std::to_string(m / 16 << 24 | n / 8 << 17 | 0x10) + ";\n@!%p2 tcgen05.mma" + form +
           ".cta_group::1.kind::f16 [%r9], " + a + ", %rd4, %r12, %p5;\n";
  }
  /// Cycles that a further one takes.
  Cycle interval(const std::string& one, unsigned threads = 32) {
    return cycles_of(kernel_of(one + one + one), threads) - cycles_of(kernel_of(one + one), threads);
  }
  static inline const std::string kCommit =
      "@!%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r10];\n";
  static inline const std::string kWait =
      "W: mbarrier.try_wait.parity.shared.b64 %p6, [%r10], 0; @!%p6 bra W; tcgen05.fence::after_thread_sync;\n";
  static std::string list(unsigned registers) {
    std::string all;
    for (unsigned k = 0; k < registers; ++k) all += (k == 0 ? "{%r" : ", %r") + std::to_string(40 + k);
    return all + "}";
  }
};

}  // namespace bankshot::timing
