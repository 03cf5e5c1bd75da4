// Host time of matrix products, one thread: an m64n256k16 wgmma and its relatives, beside OpenBLAS's product of the
// same matrices of f32, if libopenblas is installed. Each item is one product.
//
// For a ratio: --benchmark_enable_random_interleaving=true --benchmark_repetitions=9.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"

namespace {

using namespace bankshot;

constexpr unsigned kProducts = 64;  ///< accumulated, in a launch

/// The elements of A and B.
enum class Data { integers, fractions };

/// Operands of a loop's product: "{%f0, %f1, …}".
std::string registers(unsigned count) {
  std::string text = "{";
  for (unsigned k = 0; k < count; ++k) text += (k == 0 ? "%f" : ", %f") + std::to_string(k);
  return text + "}";
}

/// A kernel of one warpgroup that fills 10 KiB of shared memory with bytes of a hash of their place, and multiplies
/// them kProducts times. Integers: the halves -4 to 3, the bytes 0 to 7 of s8. Fractions: halves from -2 to 2.
std::string kernel(const std::string& types, const std::string& shape, const std::string& type, Data data,
                   const std::string& behind) {
  const std::string number =
      type == "s32" ? "and.b32 %r6, %r6, 0x07070707;\n"
      : data == Data::integers
          ? "bfe.u32 %r7, %r6, 3, 3; bfe.u32 %r8, %r6, 9, 3; sub.s32 %r7, %r7, 4; sub.s32 %r8, %r8, 4;\n"
            "cvt.rn.f16.s32 %h1, %r7; cvt.rn.f16.s32 %h2, %r8; mov.b32 %r6, {%h1, %h2};\n"
          : "cvt.rn.f32.s32 %g1, %r6; mul.f32 %g1, %g1, 0f30000000; cvt.rn.f16.f32 %h1, %g1; shl.b32 %r7, %r6, 11;\n"
            "cvt.rn.f32.s32 %g1, %r7; mul.f32 %g1, %g1, 0f30000000; cvt.rn.f16.f32 %h2, %g1; mov.b32 %r6, {%h1, "
            "%h2};\n";
  return ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
         ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b16 %h<4>; .reg .f32 %g<4>; .reg ." +
         type +
         " %f<128>;\n.shared .align 1024 .b8 s[10240];\nmov.u32 %r1, %tid.x; shl.b32 %r5, %r1, 2; mov.u32 %r9, s;\n"
         "L: mul.lo.u32 %r6, %r5, 0x9e3779b1; shr.u32 %r7, %r6, 15; xor.b32 %r6, %r6, %r7; mul.lo.u32 %r6, %r6, "
         "0x85ebca77;\n" +
         number +
         "add.u32 %r8, %r9, %r5; st.shared.b32 [%r8], %r6; add.u32 %r5, %r5, 512; setp.lt.u32 %p1, %r5, 10240;\n"
         "@%p1 bra L; fence.proxy.async.shared::cta; bar.sync 0; shr.u32 %r8, %r9, 4; cvt.u64.u32 %rd3, %r8;\n"
         "or.b64 %rd4, %rd3, 0x0000001000080000; add.u64 %rd5, %rd4, 128; mov.u32 %r10, 0;\n"
         "M: setp.ne.u32 %p2, %r10, 0; wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned." +
         shape + "." + types + " " + registers(128) + ", %rd4, %rd5, %p2" + behind +
         ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; add.u32 %r10, %r10, 1;\n"
         "setp.lt.u32 %p3, %r10, " +
         std::to_string(kProducts) + "; @%p3 bra M;\nret;\n}\n";
}

void product(benchmark::State& state, const std::string& types, const std::string& shape, const std::string& type,
             Data data, const std::string& behind) {
  simt::EngineOptions options;
  options.threads = 1;
  options.count_conflicts = false;
  simt::Engine engine(options);
  auto program = engine.load(kernel(types, shape, type, data, behind), "product.ptx");
  if (!program) return state.SkipWithError("the kernel was refused");
  const uint64_t out = 0;
  simt::LaunchConfig config;
  config.block = {128, 1, 1};
  config.params = std::as_bytes(std::span(&out, 1));
  for (auto _ : state) {
    if (!engine.launch(**program, "k", config)) return state.SkipWithError("the launch failed");
  }
  state.SetItemsProcessed(state.iterations() * kProducts);
}

/// The same product as f32, by OpenBLAS. @param k  of the sum
void openblas(benchmark::State& state, int k) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  static void* const library = dlopen("libopenblas.so.0", RTLD_NOW);
  using Multiply =
      void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  const auto multiply = library == nullptr ? nullptr : reinterpret_cast<Multiply>(dlsym(library, "cblas_sgemm"));
  if (multiply == nullptr) return state.SkipWithError("there is no libopenblas.so.0; Debian has it as libopenblas0");
  constexpr int kColumnMajor = 102, kAsItIs = 111, m = 64, n = 256;
  std::vector<float> a(static_cast<size_t>(m * k), 0.5f), b(static_cast<size_t>(n * k), 0.25f), c(size_t{m} * n);
  for (auto _ : state) {
    for (unsigned q = 0; q < kProducts; ++q)
      multiply(kColumnMajor, kAsItIs, kAsItIs, m, n, k, 1, a.data(), m, b.data(), k, q == 0 ? 0 : 1, c.data(), m);
    benchmark::DoNotOptimize(c.data());
  }
  state.SetItemsProcessed(state.iterations() * kProducts);
}

BENCHMARK_CAPTURE(product, f16_integers, "f32.f16.f16", "m64n256k16", "f32", Data::integers, ", 1, 1, 0, 0");
BENCHMARK_CAPTURE(product, f16_fractions, "f32.f16.f16", "m64n256k16", "f32", Data::fractions, ", 1, 1, 0, 0");
BENCHMARK_CAPTURE(product, s8, "s32.s8.s8", "m64n256k32", "s32", Data::integers, "");
BENCHMARK_CAPTURE(openblas, k16, 16);
BENCHMARK_CAPTURE(openblas, k32, 32);

}  // namespace
