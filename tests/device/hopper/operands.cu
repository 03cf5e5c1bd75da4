// Which bytes of shared memory wgmma reads as element (m, k) of A and (k, n) of B, for a matrix descriptor.
//
// Shared memory holds, in each element, the number of that element; the other operand is the identity, so that the
// accumulator is what was read. A number needs several passes, a few bits each, as elements are exact only up to 2^10
// (f16, tf32) or 2^8 (u8).
//   operands OUT          writes OUT/operands.tsv, a line for each descriptor with the number of elements that differ
//                         from `expected`, and OUT/operands.bin, the byte offsets themselves: u32, in the order of the
//                         lines, and of rows (mn, k) with k fastest; offsets are from a base of 1,024 B alignment
//   operands OUT beyond   the same of descriptors whose addresses leave shared memory, or with bits that no field has;
//                         each in a process of its own
#include <cuda_fp16.h>

#include <algorithm>
#include <string>

#include "common.hpp"
#include "isolate.hpp"
#include "ptx.hpp"
#include "wgmma.generated.hpp"

using namespace hopper;

struct Descriptor {
  uint32_t swizzle, mn_major, start, leading, stride, base_offset;  ///< start in bytes from the base
  uint64_t others = 0;                                              ///< bits that no field has
};

constexpr uint32_t kDynamic = 227 * 1024;
constexpr uint32_t kRegion = 222 * 1024;  ///< bytes from the base that hold numbers; what follows is the identity for A
constexpr int kThreads = 128;

enum class Type { f16, u8, tf32 };

/// Fills the region with bits [low, low + width) of the number of each element.
template <Type type>
__device__ void fill(uint32_t base, int pass) {
  if constexpr (type == Type::f16) {
    for (uint32_t i = threadIdx.x; i < kRegion / 2; i += kThreads) {
      const uint32_t code = pass == 0 ? i & 1023 : i >> 10;
      store_shared(base + 2 * i, __half_as_ushort(__uint2half_rn(code)));
    }
  } else if constexpr (type == Type::u8) {
    for (uint32_t i = threadIdx.x; i < kRegion; i += kThreads)
      store_shared(base + i, static_cast<uint8_t>(i >> (8 * pass)));
  } else {
    for (uint32_t i = threadIdx.x; i < kRegion / 4; i += kThreads)
      store_shared(base + 4 * i, __float_as_uint(static_cast<float>(pass == 0 ? i & 1023 : i >> 10)));
  }
}
template <Type type>
constexpr int kPasses = type == Type::u8 ? 3 : 2;
template <Type type>
constexpr int kBitsOfPass = type == Type::u8 ? 8 : 10;
template <Type type>
constexpr int kElement = type == Type::f16  ? 2
                         : type == Type::u8 ? 1
                                            : 4;

/// The identity as the registers of A: element (m, k) is 1 where m = k.
template <Type type>
__device__ void identity(uint32_t (&a)[4]) {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int r = 0; r < 4; ++r) {
    a[r] = 0;
    for (int e = 0; e < 4 / kElement<type>; ++e) {
      const int m = row + r % 2 * 8, k = (r / 2 * 16 + t * 4) / kElement<type> + e;
      const uint32_t one = type == Type::f16 ? 0x3c00 : type == Type::u8 ? 1 : 0x3f800000;
      if (m == k) a[r] |= one << (8 * kElement<type> * e);
    }
  }
}

/// out: for each descriptor kN x kK numbers of elements, k fastest. Thread blocks take descriptors in turn.
template <class Form, Type type, int kTranspose>
__global__ void __launch_bounds__(kThreads) read_b(const Descriptor* descriptors, int count, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic);
  uint32_t a[4];
  identity<type>(a);
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int pass = 0; pass < kPasses<type>; ++pass) {
    __syncthreads();
    fill<type>(base, pass);
    fence_async();
    __syncthreads();
    for (int c = blockIdx.x; c < count; c += gridDim.x) {
      const Descriptor& w = descriptors[c];
      const uint64_t b = descriptor(base + w.start, w.leading, w.stride, w.base_offset, w.swizzle) | w.others;
      typename Form::D d[Form::kRegisters] = {};
      wgmma_fence();
      Form::template rs<kTranspose>(d, a, b, 0);
      wgmma_commit();
      wgmma_wait();
      for (int r = 0; r < Form::kRegisters; ++r) {
        const int k = row + r % 4 / 2 * 8, n = r / 4 * 8 + 2 * t + r % 2;
        if (k < Form::kK)
          out[(c * Form::kN + n) * Form::kK + k] |= static_cast<uint32_t>(d[r]) << (kBitsOfPass<type> * pass);
      }
    }
  }
}

/// The same of A, 64 x 16 elements of 16 bits.
template <int kTranspose>
__global__ void __launch_bounds__(kThreads) read_a(const Descriptor* descriptors, int count, uint32_t* out) {
  using Form = Wgmma_f32_f16_f16<16>;
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic), ones = base + kRegion;
  // K-major without swizzle: 8 x 8 elements are 128 B; k advances by 256 B, n by 128 B.
  for (int i = threadIdx.x; i < 256; i += kThreads) {
    const int k = i / 16, n = i % 16;
    store_shared(ones + k / 8 * 256 + n / 8 * 128 + n % 8 * 16 + k % 8 * 2, static_cast<uint16_t>(k == n ? 0x3c00 : 0));
  }
  const uint64_t b = descriptor(ones, 256, 128, 0, kNone);
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    fill<Type::f16>(base, pass);
    fence_async();
    __syncthreads();
    for (int c = blockIdx.x; c < count; c += gridDim.x) {
      const Descriptor& w = descriptors[c];
      const uint64_t a = descriptor(base + w.start, w.leading, w.stride, w.base_offset, w.swizzle);
      float d[Form::kRegisters] = {};
      wgmma_fence();
      Form::ss<kTranspose, 0>(d, a, b, 0);
      wgmma_commit();
      wgmma_wait();
      for (int r = 0; r < Form::kRegisters; ++r) {
        const int m = row + r % 4 / 2 * 8, k = r / 4 * 8 + 2 * t + r % 2;
        out[(c * 64 + m) * 16 + k] |= static_cast<uint32_t>(d[r]) << (10 * pass);
      }
    }
  }
}

/// What the PTX ISA's canonical layouts say, for an operand of `element` bytes: the byte offset of (mn, k). The swizzle
/// exclusive-ors bits 4.. with bits 7.. of the address, from which `base` is subtracted.
uint32_t expected(const Descriptor& w, int element, int mn, int k, int base) {
  const uint32_t wide = w.swizzle == k128B ? 8 : w.swizzle == k64B ? 4 : w.swizzle == k32B ? 2 : 1;
  const uint32_t per_unit = 16 / element;
  uint32_t at = w.start;
  if (!w.mn_major) {
    at += mn / 8 * w.stride + mn % 8 * 16 * wide + k % per_unit * element;
    at += k / per_unit * (wide == 1 ? w.leading : 16);
  } else if (wide == 1) {
    at += mn % per_unit * element + mn / per_unit * w.stride + k % 8 * 16 + k / 8 * w.leading;
  } else {
    at += mn % per_unit * element + mn / per_unit % wide * 16 + mn / (per_unit * wide) * w.leading;
    at += k % 8 * 16 * wide + k / 8 * w.stride;
  }
  return at ^ ((((at >> 7) - base) & (wide - 1)) << 4);
}

/// Descriptors in which one field is swept after the other, and then all at random.
std::vector<Descriptor> sweep(uint32_t swizzle, uint32_t mn_major, bool wide_only, uint64_t seed) {
  const uint32_t wide = swizzle == k128B ? 8 : swizzle == k64B ? 4 : swizzle == k32B ? 2 : 1;
  const Descriptor usual{swizzle, mn_major, 0, wide == 1 ? 2048u : 128 * wide * 2, 128 * wide, 0};
  std::vector<Descriptor> all{usual};
  const auto with = [&](auto set) {
    Descriptor d = usual;
    set(d);
    all.push_back(d);
  };
  const uint32_t starts[] = {16,  32,  48,  64,  80,  96,  112, 128,  144,  160,  192,  256, 272,
                             384, 512, 528, 640, 768, 896, 912, 1008, 1024, 1040, 2048, 3104};
  const uint32_t distances[] = {0,   16,  32,  48,  64,   80,   112,  128,  144,  176,  256,  272,
                                384, 512, 528, 640, 1024, 1040, 1168, 2048, 2064, 3072, 4096, 4112};
  for (uint32_t start : starts) with([&](Descriptor& d) { d.start = start; });
  for (uint32_t leading : distances) with([&](Descriptor& d) { d.leading = leading; });
  for (uint32_t stride : distances) with([&](Descriptor& d) { d.stride = stride; });
  for (uint32_t base = 1; base < 8; ++base)
    for (uint32_t start : {0u, 32u, 128u, 256u, 384u, 512u, 640u, 768u, 896u, 1040u})
      with([&](Descriptor& d) { d.base_offset = base, d.start = start; });
  if (wide_only) all.resize(1 + std::size(starts));
  Random random(seed);
  for (int k = 0; k < (wide_only ? 20 : 80); ++k)
    with([&](Descriptor& d) {
      d.start = 16 * random.below(256), d.leading = 16 * random.below(300), d.stride = 16 * random.below(300);
      if (k % 2) d.base_offset = random.below(8);
    });
  return all;
}

struct Files {
  std::FILE *lines, *offsets;
};

template <class Launch>
void experiment(const Files& files, const char* operand, const char* type, int element, int rows, int columns,
                const std::vector<Descriptor>& descriptors, Launch launch) {
  const DeviceArray<Descriptor> input(descriptors);
  const DeviceArray<uint32_t> output(descriptors.size() * rows * columns);
  launch(input.get(), static_cast<int>(descriptors.size()), output.get());
  synchronize();
  std::vector<uint32_t> offsets = output.download();
  for (uint32_t& offset : offsets) offset *= element;
  std::fwrite(offsets.data(), sizeof(uint32_t), offsets.size(), files.offsets);
  int wrong[3] = {};
  for (size_t c = 0; c < descriptors.size(); ++c) {
    const Descriptor& w = descriptors[c];
    int differ[3] = {};
    std::string example;
    for (int mn = 0; mn < rows; ++mn)
      for (int k = 0; k < columns; ++k) {
        const uint32_t is = offsets[(c * rows + mn) * columns + k];
        for (int h = 0; h < 3; ++h) {
          const uint32_t want = expected(w, element, mn, k, h == 0 ? w.base_offset : h == 1 ? 0 : -w.base_offset);
          if (is == want) continue;
          ++differ[h];
          if (h == 0 && example.empty())
            example = std::to_string(mn) + "," + std::to_string(k) + ": " + std::to_string(is) + " not " +
                      std::to_string(want);
        }
      }
    for (int h = 0; h < 3; ++h) wrong[h] += differ[h] != 0;
    std::fprintf(files.lines, "%s\t%s\t%u\t%s\t%u\t%u\t%u\t%u\t%llx\t%d\t%d\t%d\t%d\t%s\n", operand, type, w.swizzle,
                 w.mn_major ? "mn" : "k", w.start, w.leading, w.stride, w.base_offset,
                 static_cast<unsigned long long>(w.others), rows * columns, differ[0], differ[1], differ[2],
                 example.c_str());
  }
  std::fflush(files.lines);
  std::fflush(files.offsets);
  std::printf(
      "%s %s swizzle %u %s-major: of %zu descriptors %d differ from the formula, %d from it without the base "
      "offset, %d with it added\n",
      operand, type, descriptors[0].swizzle, descriptors[0].mn_major ? "mn" : "k", descriptors.size(), wrong[0],
      wrong[1], wrong[2]);
  std::fflush(stdout);
}

template <class Kernel>
auto launcher(Kernel kernel) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kDynamic));
  return [kernel](const Descriptor* descriptors, int count, uint32_t* out) {
    const int blocks = std::min(count, 120);
    kernel<<<blocks, kThreads, kDynamic>>>(descriptors, count, out);
  };
}

/// Addresses have 18 bits, those of shared memory end below 228 KB: what is read beyond, or after the largest. The base
/// is 1 KB, 2 KB or more.
std::vector<Descriptor> beyond() {
  std::vector<Descriptor> all;
  for (uint32_t at : {220u, 226u, 227u, 228u, 232u, 240u, 252u, 254u, 255u})
    all.push_back({kNone, 0, at * 1024, 2048, 128, 0});
  for (uint32_t stride : {0x3fff0u, 0x3ff80u, 0x3fc00u, 0x20000u, 0x38000u})
    all.push_back({kNone, 0, 8192, 2048, stride, 0});
  all.push_back({kNone, 0, 8192, 0x3ff80, 128, 0});
  all.push_back({k128B, 0, 8192, 16, 0x3fc00, 0});
  for (int bit : {14, 15, 30, 31, 46, 47, 48, 52, 53, 56, 60, 61})
    all.push_back({k128B, 0, 0, 16, 1024, 0, uint64_t{1} << bit});
  return all;
}

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: operands OUT [beyond]\n"), 2;
  const std::string folder = argv[1];
  const Files files{std::fopen((folder + "/operands.tsv").c_str(), "w"),
                    std::fopen((folder + "/operands.bin").c_str(), "wb")};
  if (!files.lines || !files.offsets) return std::perror(argv[1]), 1;
  std::fprintf(files.lines,
               "operand\ttype\tswizzle\tmajor\tstart\tleading\tstride\tbase_offset\tothers\telements\tdiffer\tdiffer_"
               "without_base\tdiffer_plus_base\texample\n");
  if (argc > 2) {
    const std::vector<Descriptor> all = beyond();
    isolate(
        static_cast<int>(all.size()), 40,
        [&](int i) {
          experiment(files, "B", "f16", 2, 128, 16, {all[i]}, launcher(read_b<Wgmma_f32_f16_f16<128>, Type::f16, 0>));
        },
        [&](int i) {
          std::fprintf(files.lines, "B\tf16\t%u\tk\t%u\t%u\t%u\t0\t%llx\t0\t-1\t-1\t-1\tfault\n", all[i].swizzle,
                       all[i].start, all[i].leading, all[i].stride, static_cast<unsigned long long>(all[i].others));
        });
    return 0;
  }
  for (uint32_t swizzle : {kNone, k128B, k64B, k32B}) {
    experiment(files, "B", "f16", 2, 128, 16, sweep(swizzle, 0, false, 1),
               launcher(read_b<Wgmma_f32_f16_f16<128>, Type::f16, 0>));
    experiment(files, "B", "f16", 2, 128, 16, sweep(swizzle, 1, false, 2),
               launcher(read_b<Wgmma_f32_f16_f16<128>, Type::f16, 1>));
    experiment(files, "A", "f16", 2, 64, 16, sweep(swizzle, 0, false, 3), launcher(read_a<0>));
    experiment(files, "A", "f16", 2, 64, 16, sweep(swizzle, 1, false, 4), launcher(read_a<1>));
    experiment(files, "B", "u8", 1, 128, 32, sweep(swizzle, 0, true, 5),
               launcher(read_b<Wgmma_s32_u8_u8<128>, Type::u8, 0>));
    experiment(files, "B", "tf32", 4, 128, 8, sweep(swizzle, 0, true, 6),
               launcher(read_b<Wgmma_f32_tf32_tf32<128>, Type::tf32, 0>));
    experiment(files, "B", "f16", 2, 256, 16, {sweep(swizzle, 1, true, 7)},
               launcher(read_b<Wgmma_f32_f16_f16<256>, Type::f16, 1>));
  }
  return 0;
}
