// Cycles of wgmma: latency, issue rate, by type, width, place of A, swizzle mode, warpgroups on the SM.
//   mma_times         prints rows (timing.hpp)
#include <string>

#include "ptx.hpp"
#include "timing.hpp"
#include "wgmma.generated.hpp"

using namespace hopper;

constexpr int kDynamic = 200 * 1024;

enum Operands { kDescriptors, kRegistersOfA, kSparse, kSparseRegistersOfA };
/// Warpgroups of one block each run `groups` groups of `kEach` wgmma on one accumulator, and wait for all but
/// `kPending` groups after each. out[0]: cycles of the slowest.
template <class Form, Operands kOperands, int kEach, int kPending, int kTransposeB>
__global__ void __launch_bounds__(Form::kN == 256 ? 256 : 512)
    run(int groups, uint32_t leading, uint32_t stride, uint32_t swizzle, uint32_t advance, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic);
  for (int i = threadIdx.x; i < (kDynamic - 1024) / 4; i += blockDim.x) store_shared(base + 4 * i, 0u);
  if (threadIdx.x == 0) *out = 0;
  fence_async();
  __syncthreads();
  // All warpgroups share B and have their own A.
  const uint64_t of_a = descriptor(base + threadIdx.x / 128 * 16384, kTransposeB ? 1024 : leading, stride, 0, swizzle);
  const uint64_t of_b = descriptor(base + 65536, leading, stride, 0, swizzle);
  typename Form::D d[Form::kRegisters] = {};
  uint32_t a[4];
  for (uint32_t i = 0; i < 4; ++i) a[i] = load_shared(base + 4 * i);  // a constant would be copied for each wgmma
  const uint32_t start = clock32();
  for (int g = 0; g < groups; ++g) {
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const uint64_t step = (k % 4) * (advance >> 4);
      if constexpr (kOperands == kRegistersOfA)
        Form::rs(d, a, of_b + step, 1);
      else if constexpr (kOperands == kSparse)
        Form::template sparse_ss<0>(d, of_a + step, of_b + step, 0x44444444, 1);
      else if constexpr (kOperands == kSparseRegistersOfA)
        Form::template sparse<0>(d, a, of_b + step, 0x44444444, 1);
      else if constexpr (kTransposeB)
        Form::template ss<0, 1>(d, of_a + step, of_b + step, 1);
      else
        Form::ss(d, of_a + step, of_b + step, 1);
    }
    wgmma_commit();
    wgmma_wait<kPending>();
  }
  wgmma_wait();
  const uint32_t cycles = clock32() - start;
  float sum = 0;
  for (int r = 0; r < Form::kRegisters; ++r) sum += static_cast<float>(d[r]);
  if (sum == 12345.0f) out[1] = 1;
  atomicMax(out, cycles);
}

DeviceArray<uint32_t>* result;

struct Layout {
  const char* name;
  uint32_t swizzle, leading, stride, advance;
};
// K-major; rows of 8 x 16, 32, 64 and 128 B one after the other. Without swizzle k advances by two columns of 16 B.
const Layout kLayouts[] = {{"128 B", k128B, 16, 1024, 32},
                           {"none", kNone, 4096, 128, 8192},
                           {"64 B", k64B, 16, 512, 32},
                           {"32 B", k32B, 16, 256, 16384}};

template <class Form, Operands kOperands, int kEach, int kPending, int kTransposeB = 0>
double cycles(int warpgroups, int groups, const Layout& layout) {
  const auto kernel = run<Form, kOperands, kEach, kPending, kTransposeB>;
  allow_shared(kernel, kDynamic);
  return median_cycles(*result, [&](uint32_t* out) {
    kernel<<<1, 128 * warpgroups, kDynamic>>>(groups, layout.leading, layout.stride, layout.swizzle, layout.advance,
                                              out);
  });
}

template <class Form, Operands kOperands>
void width(const char* type, bool more) {
  constexpr bool kIsSparse = kOperands == kSparse || kOperands == kSparseRegistersOfA;
  const std::string name = std::string(type) + (kIsSparse ? " sparse m64n" : " m64n") + std::to_string(Form::kN) + "k" +
                           std::to_string(Form::kK * (kIsSparse ? 2 : 1)) +
                           (kOperands == kRegistersOfA || kOperands == kSparseRegistersOfA ? ", A in registers" : "");
  const auto& layout = kLayouts[0];
  // One wgmma, then the same and more in a group.
  const double one = cycles<Form, kOperands, 1, 0>(1, 1, layout);
  row("wgmma latency", name + ", one with fence, commit and wait", one);
  row("wgmma latency", name + ", next in a chain of groups", (cycles<Form, kOperands, 1, 0>(1, 65, layout) - one) / 64);
  for (int warpgroups : {1, 2, 4}) {
    if (Form::kN == 256 && warpgroups == 4) continue;
    if (warpgroups > 1 && !more) continue;
    const double few = cycles<Form, kOperands, 8, 1>(warpgroups, 4, layout),
                 many = cycles<Form, kOperands, 8, 1>(warpgroups, 36, layout);
    row("wgmma interval", name + ", " + std::to_string(warpgroups) + " warpgroups",
        (many - few) / (32 * 8 * warpgroups));
  }
}

template <template <int> class Form>
void type(const char* name, bool more) {
  width<Form<8>, kDescriptors>(name, false);
  width<Form<16>, kDescriptors>(name, false);
  width<Form<32>, kDescriptors>(name, false);
  width<Form<64>, kDescriptors>(name, more);
  width<Form<96>, kDescriptors>(name, false);
  width<Form<128>, kDescriptors>(name, more);
  width<Form<192>, kDescriptors>(name, false);
  width<Form<256>, kDescriptors>(name, more);
  width<Form<8>, kRegistersOfA>(name, false);
  width<Form<64>, kRegistersOfA>(name, more);
  width<Form<128>, kRegistersOfA>(name, more);
  width<Form<256>, kRegistersOfA>(name, more);
}

template <template <int> class Form>
void sparse(const char* name) {
  width<Form<8>, kSparse>(name, false);
  width<Form<64>, kSparse>(name, true);
  width<Form<128>, kSparse>(name, false);
  width<Form<256>, kSparse>(name, false);
  width<Form<64>, kSparseRegistersOfA>(name, true);
  width<Form<256>, kSparseRegistersOfA>(name, false);
}

template <class Form>
void layouts(const char* type) {
  for (const Layout& layout : kLayouts)
    for (int warpgroups : {1, 2}) {
      const std::string condition = std::string(type) + " m64n" + std::to_string(Form::kN) + ", K-major, swizzle " +
                                    layout.name + ", " + std::to_string(warpgroups) + " warpgroups";
      const double few = cycles<Form, kDescriptors, 8, 1>(warpgroups, 4, layout),
                   many = cycles<Form, kDescriptors, 8, 1>(warpgroups, 36, layout);
      row("wgmma interval by layout", condition, (many - few) / (32 * 8 * warpgroups));
      const double few_rs = cycles<Form, kRegistersOfA, 8, 1>(warpgroups, 4, layout),
                   many_rs = cycles<Form, kRegistersOfA, 8, 1>(warpgroups, 36, layout);
      row("wgmma interval by layout", condition + ", A in registers", (many_rs - few_rs) / (32 * 8 * warpgroups));
    }
}
/// B is MN-major: leading is between atoms of 64, 32, 16 columns, stride between 8 k.
template <class Form>
void transposed_layouts() {
  const Layout of_b[] = {{"128 B", k128B, 2048, 1024, 4096},
                         {"none", kNone, 8192, 128, 16384},
                         {"64 B", k64B, 1024, 512, 4096},
                         {"32 B", k32B, 512, 256, 4096}};
  for (const Layout& layout : of_b) {
    const double few = cycles<Form, kDescriptors, 8, 1, 1>(1, 4, layout),
                 many = cycles<Form, kDescriptors, 8, 1, 1>(1, 36, layout);
    row("wgmma interval by layout", "f16 m64n" + std::to_string(Form::kN) + ", B MN-major, swizzle " + layout.name,
        (many - few) / (32 * 8));
  }
  // Rows that share banks without swizzle: 8 rows of 16 B each are contiguous anyway; only the distance of groups of
  // rows changes.
  for (uint32_t stride : {128u, 144u, 256u, 512u, 1024u}) {
    const Layout layout{"none", kNone, 16384 - 128, stride, 0};
    const double few = cycles<Form, kDescriptors, 8, 1>(1, 4, layout),
                 many = cycles<Form, kDescriptors, 8, 1>(1, 36, layout);
    row("wgmma interval by stride",
        "f16 m64n" + std::to_string(Form::kN) + ", K-major, no swizzle, groups of 8 rows " + std::to_string(stride) +
            " B apart",
        (many - few) / (32 * 8));
  }
}

/// Only the fence, or a commit and a wait of an empty group.
template <int kWhat>
__global__ void empty(int count, uint32_t* out) {
  const uint32_t start = clock32();
#pragma unroll 8
  for (int k = 0; k < count; ++k) {
    if constexpr (kWhat == 0) wgmma_fence();
    if constexpr (kWhat == 1) wgmma_commit();
    if constexpr (kWhat == 2) wgmma_commit(), wgmma_wait();
  }
  out[0] = clock32() - start;
}

int main() {
  DeviceArray<uint32_t> out(4);
  result = &out;
  type<Wgmma_f32_f16_f16>("f32.f16", true);
  row("wgmma.fence", "512 in a row", median_cycles(out, [](uint32_t* o) { empty<0><<<1, 128>>>(512, o); }) / 512);
  row("wgmma.commit_group", "512 in a row, empty",
      median_cycles(out, [](uint32_t* o) { empty<1><<<1, 128>>>(512, o); }) / 512);
  row("wgmma.commit_group and wait_group", "512 in a row, empty",
      median_cycles(out, [](uint32_t* o) { empty<2><<<1, 128>>>(512, o); }) / 512);
  layouts<Wgmma_f32_f16_f16<64>>("f32.f16");
  layouts<Wgmma_f32_f16_f16<128>>("f32.f16");
  layouts<Wgmma_f32_f16_f16<256>>("f32.f16");
  transposed_layouts<Wgmma_f32_f16_f16<64>>();
  transposed_layouts<Wgmma_f32_f16_f16<256>>();
  layouts<Wgmma_f32_f16_f16<8>>("f32.f16");
  type<Wgmma_f32_e4m3_e4m3>("f32.e4m3", true);
  type<Wgmma_s32_s8_s8>("s32.s8", true);
  type<Wgmma_f32_tf32_tf32>("f32.tf32", true);
  type<Wgmma_f16_f16_f16>("f16.f16", true);
  type<Wgmma_f32_bf16_bf16>("f32.bf16", false);
  sparse<Wgmma_f32_f16_f16>("f32.f16");
  sparse<Wgmma_f32_e4m3_e4m3>("f32.e4m3");
  return 0;
}
