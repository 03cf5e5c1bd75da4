// Launches the kernels of counted_kernels.hpp for a profiler to count.
//   counted PART…     the parts: warp warpgroup starts thread levels cluster few, the last with one of each kind;
//   prints
//                     a line `number name` for each launch, in their order
// What a kernel does besides is in the launch whose name starts with "nothing".
#include <cstring>
#include <string>

#include "counted_kernels.hpp"
#include "timing.hpp"
#include "wgmma.generated.hpp"

using namespace hopper;

constexpr int kDynamic = 100 * 1024;

int launches = 0;
void launched(const std::string& name) {
  synchronize();
  std::printf("%d\t%s\n", launches++, name.c_str());
  std::fflush(stdout);
}

uint32_t* out;

template <int kWhat>
void warp(const char* name, bool addresses) {
  allow_shared(of_warp<kWhat>, kDynamic);
  for (uint32_t stride : {16u, 32u, 48u, 64u, 128u, 256u, 1024u})
    for (bool swizzled : {false, true}) {
      if (!addresses && (stride != 16 || swizzled)) continue;
      if (swizzled && stride != 128 && stride != 256) continue;
      of_warp<kWhat><<<1, 32, kDynamic>>>(stride, swizzled, 0, out);
      launched(std::string(name) +
               (addresses ? ", rows " + std::to_string(stride) + " B apart" + (swizzled ? ", swizzled" : "") : ""));
    }
}

template <class Form, int kWay>
void warpgroup(const char* name) {
  static const char* const ways[] = {"A and B by descriptor", "A in registers", "B MN-major", "A and B MN-major",
                                     "nothing"};
  const struct {
    const char* name;
    uint32_t mode, rows;
  } modes[] = {{"none", kNone, 16}, {"32 B", k32B, 32}, {"64 B", k64B, 64}, {"128 B", k128B, 128}};
  allow_shared(of_warpgroup<Form, kWay>, kDynamic);
  for (const auto& m : modes) {
    if (kWay == 4 && m.mode != kNone) continue;
    // K-major: leading only without swizzle, stride between 8 rows. MN-major: the blocks of 8 k one after the other,
    // then the next columns.
    const uint64_t k_major = descriptor(0, 4096, 8 * m.rows, 0, m.mode);
    const uint64_t mn_major =
        m.mode == kNone ? descriptor(0, 4096, 128, 0, m.mode) : descriptor(0, 16 * m.rows, 8 * m.rows, 0, m.mode);
    of_warpgroup<Form, kWay>
        <<<1, 128, kDynamic>>>(kWay == 3 ? mn_major : k_major, kWay == 2 || kWay == 3 ? mn_major : k_major, out);
    launched(std::string(kWay == 4 ? "nothing, warpgroup" : "wgmma ") + name + " n" + std::to_string(Form::kN) + ", " +
             ways[kWay] + ", swizzle " + m.name);
  }
}

/// A in registers; B K-major from `start` bytes after a multiple of 1,024 B, groups of 8 columns `stride` bytes apart,
/// its two halves of 16 B `leading` apart where there is no swizzle.
template <class Form>
void starts(const char* name) {
  const struct {
    const char* name;
    uint32_t mode, rows;
  } modes[] = {{"none", kNone, 16}, {"32 B", k32B, 32}, {"64 B", k64B, 64}, {"128 B", k128B, 128}};
  allow_shared(of_warpgroup<Form, 1>, kDynamic);
  const auto one = [&](const auto& m, uint32_t start, uint32_t leading, uint32_t stride, uint32_t base_offset) {
    of_warpgroup<Form, 1><<<1, 128, kDynamic>>>(0, descriptor(start, leading, stride, base_offset, m.mode), out);
    launched(std::string("wgmma ") + name + " n" + std::to_string(Form::kN) + ", A in registers, swizzle " + m.name +
             ", start " + std::to_string(start) + ", leading " + std::to_string(leading) + ", stride " +
             std::to_string(stride) + ", base offset " + std::to_string(base_offset));
  };
  for (const auto& m : modes) {
    for (uint32_t start : {0u, 16u, 32u, 48u, 64u, 112u, 128u, 512u}) one(m, start, 4096, 8 * m.rows, 0);
    for (uint32_t stride : {0u, 16u, 128u, 144u, 272u, 1040u, 2048u})
      if (stride != 8 * m.rows) one(m, 0, 4096, stride, 0);
    for (uint32_t base_offset : {1u, 3u}) one(m, 0, 4096, 8 * m.rows, base_offset);
    if (m.mode == kNone)
      for (uint32_t leading : {0u, 16u, 64u, 128u, 144u, 1024u}) one(m, 0, leading, 128, 0);
  }
}

template <Remote kRemote>
void cluster(const char* name, std::initializer_list<uint32_t> strides) {
  allow_shared(of_cluster<kRemote>, kDynamic);
  for (uint32_t stride : strides)
    for (uint32_t owner : {1u, 0u}) {
      if (owner == 0 && stride != *strides.begin()) continue;
      of_cluster<kRemote><<<2, 32, kDynamic>>>(owner, stride, 0, out);
      launched(std::string(name) + ", " + std::to_string(stride) + " B, " +
               (owner ? "the other block" : "the own block"));
    }
}

void warps() {
  warp<kNothing>("nothing, warp", false);
  warp<kStore4>("stmatrix.x4", true);
  warp<kStore1>("stmatrix.x1", true);
  warp<kStore2>("stmatrix.x2", true);
  warp<kStore4T>("stmatrix.x4.trans", true);
  warp<kStore1T>("stmatrix.x1.trans", true);
  warp<kLoad4>("ldmatrix.x4", true);
  warp<kLoad4T>("ldmatrix.x4.trans", true);
  warp<kArrive>("mbarrier.arrive", false);
  warp<kTry>("mbarrier.try_wait", false);
  warp<kExpect>("mbarrier.arrive.expect_tx", false);
  warp<kFence>("fence.proxy.async", false);
}
void warpgroups() {
  warpgroup<Wgmma_f32_f16_f16<64>, 4>("");
  warpgroup<Wgmma_f32_f16_f16<64>, 0>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<64>, 1>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<64>, 2>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<64>, 3>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<8>, 0>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<8>, 1>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<128>, 0>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<256>, 0>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<256>, 1>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<256>, 2>("f32.f16");
  warpgroup<Wgmma_f32_e4m3_e4m3<128>, 0>("f32.e4m3");
  warpgroup<Wgmma_f32_tf32_tf32<128>, 0>("f32.tf32");
  warpgroup<Wgmma_s32_s8_s8<128>, 0>("s32.s8");
  warpgroup<Wgmma_f16_f16_f16<128>, 0>("f16.f16");
}

void allow_copies() {
  allow_shared(of_thread<kNoCopy>, kDynamic);
  allow_shared(of_thread<kTensorLoad>, kDynamic);
  allow_shared(of_thread<kTensorStore>, kDynamic);
  allow_shared(of_thread<kBulkLoad>, kDynamic);
  allow_shared(of_thread<kBulkStore>, kDynamic);
  allow_shared(of_thread<kReduceU32>, kDynamic);
  allow_shared(of_thread<kReduceF32>, kDynamic);
}
void threads(uint8_t* global) {
  allow_copies();
  CUtensorMap map;
  std::memset(&map, 0, sizeof map);
  of_thread<kNoCopy><<<1, 1, kDynamic>>>(map, global, 0);
  launched("nothing, thread");
  const CUtensorMapSwizzle modes[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                      CU_TENSOR_MAP_SWIZZLE_128B};
  const char* names[] = {"none", "32 B", "64 B", "128 B"};
  const uint32_t spans[] = {256, 32, 64, 128};
  for (int mode = 0; mode < 4; ++mode)
    for (uint32_t inner : {16u, 32u, 64u, 128u, 256u})
      for (uint32_t element : {1u, 4u}) {
        if (inner > spans[mode] || (element == 4 && inner != 64)) continue;
        const Tiles tiles{element == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_UINT32,
                          static_cast<int>(element),
                          2,
                          {1024 / element, 512},
                          {1024},
                          {inner / element, 64},
                          modes[mode]};
        if (encode_tiles(map, tiles, global) != CUDA_SUCCESS) continue;
        const std::string condition =
            "box " + std::to_string(inner) + " B x 64 of " + std::to_string(element) + " B, swizzle " + names[mode];
        of_thread<kTensorLoad><<<1, 1, kDynamic>>>(map, global, inner * 64);
        launched("tensor load, " + condition);
        if (element == 4) continue;
        of_thread<kTensorStore><<<1, 1, kDynamic>>>(map, global, inner * 64);
        launched("tensor store, " + condition);
      }
  for (uint32_t bytes : {128u, 4096u, 16384u}) {
    of_thread<kBulkLoad><<<1, 1, kDynamic>>>(map, global, bytes);
    launched("bulk load, " + std::to_string(bytes) + " B");
    of_thread<kBulkStore><<<1, 1, kDynamic>>>(map, global, bytes);
    launched("bulk store, " + std::to_string(bytes) + " B");
    of_thread<kReduceU32><<<1, 1, kDynamic>>>(map, global, bytes);
    launched("bulk reduction add.u32, " + std::to_string(bytes) + " B");
    of_thread<kReduceF32><<<1, 1, kDynamic>>>(map, global, bytes);
    launched("bulk reduction add.f32, " + std::to_string(bytes) + " B");
  }
}
void clusters() {
  cluster<kNoAccess>("nothing, cluster", {4});
  cluster<kRemoteLoad4>("ld.shared::cluster.u32", {4, 8, 32, 128});
  cluster<kRemoteLoad16>("ld.shared::cluster.v4.u32", {16, 32, 128});
  cluster<kRemoteStore4>("st.shared::cluster.u32", {4, 8, 32, 128});
  cluster<kRemoteStore16>("st.shared::cluster.v4.u32", {16, 32, 128});
  cluster<kRemoteReduce>("red.shared::cluster.add.u32", {4, 0, 8, 128});
  cluster<kRemoteAtomic>("atom.shared::cluster.add.u32", {4, 0, 8, 128});
  cluster<kRemoteAsync>("st.async.b32", {4, 128});
  cluster<kRemoteCopy>("bulk copy to the cluster", {128, 4096, 16384});
  cluster<kRemoteReduceCopy>("bulk reduction add.u32 to the cluster", {128, 4096});
  cluster<kRemoteArrive>("mbarrier.arrive, remote", {4});
}
void all_starts() {
  warpgroup<Wgmma_f32_f16_f16<64>, 4>("");
  starts<Wgmma_f32_f16_f16<64>>("f32.f16");
  starts<Wgmma_f32_tf32_tf32<64>>("f32.tf32");
}
/// What copies cost in L2 and DRAM: boxes narrower and wider than sectors and lines, at places aligned to them or not,
/// by the promotion of the tensor map. Each launch has a MiB of its own, which no other has touched.
void levels() {
  constexpr size_t kEach = 1 << 20;
  DeviceArray<uint8_t> memory(64 * kEach);
  allow_copies();
  CUtensorMap map;
  int used = 0;
  std::memset(&map, 0, sizeof map);
  of_thread<kNoCopy><<<1, 1, kDynamic>>>(map, memory.get(), 0);
  launched("nothing, thread");
  const auto copy = [&](uint32_t inner, uint32_t shift, CUtensorMapL2promotion promotion, const char* name) {
    uint8_t* from = memory.get() + kEach * used++ + shift;
    const Tiles tiles{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 2, {1024, 512}, {1024}, {inner, 64}};
    if (encode_tiles(map, tiles, from, promotion) != CUDA_SUCCESS) return;
    of_thread<kTensorLoad><<<1, 1, kDynamic>>>(map, from, inner * 64);
    launched("tensor load, box " + std::to_string(inner) + " B x 64, " + std::to_string(shift) +
             " B after a line, promotion " + name);
  };
  const struct {
    CUtensorMapL2promotion promotion;
    const char* name;
  } promotions[] = {{CU_TENSOR_MAP_L2_PROMOTION_NONE, "none"},
                    {CU_TENSOR_MAP_L2_PROMOTION_L2_64B, "64 B"},
                    {CU_TENSOR_MAP_L2_PROMOTION_L2_128B, "128 B"},
                    {CU_TENSOR_MAP_L2_PROMOTION_L2_256B, "256 B"}};
  for (const auto& p : promotions)
    for (uint32_t inner : {16u, 32u, 64u, 128u, 256u}) copy(inner, 0, p.promotion, p.name);
  for (uint32_t shift : {16u, 32u, 48u, 112u})
    for (uint32_t inner : {32u, 64u, 128u}) copy(inner, shift, promotions[0].promotion, promotions[0].name);
  for (uint32_t shift : {0u, 16u})
    for (uint32_t bytes : {16u, 128u, 4096u}) {
      of_thread<kBulkLoad><<<1, 1, kDynamic>>>(map, memory.get() + kEach * used++ + shift, bytes);
      launched("bulk load, " + std::to_string(bytes) + " B, " + std::to_string(shift) + " B after a line");
      of_thread<kBulkStore><<<1, 1, kDynamic>>>(map, memory.get() + kEach * used++ + shift, bytes);
      launched("bulk store, " + std::to_string(bytes) + " B, " + std::to_string(shift) + " B after a line");
    }
}
void few(uint8_t* global) {
  warp<kNothing>("nothing, warp", false);
  warp<kStore4>("stmatrix.x4", false);
  warp<kLoad4>("ldmatrix.x4", false);
  warp<kArrive>("mbarrier.arrive", false);
  warp<kTry>("mbarrier.try_wait", false);
  warpgroup<Wgmma_f32_f16_f16<64>, 4>("");
  warpgroup<Wgmma_f32_f16_f16<128>, 0>("f32.f16");
  warpgroup<Wgmma_f32_f16_f16<128>, 1>("f32.f16");
  allow_copies();
  CUtensorMap map;
  const Tiles tiles{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 2, {1024, 512}, {1024}, {128, 64}, CU_TENSOR_MAP_SWIZZLE_128B};
  if (encode_tiles(map, tiles, global) != CUDA_SUCCESS) return;
  of_thread<kNoCopy><<<1, 1, kDynamic>>>(map, global, 0);
  launched("nothing, thread");
  of_thread<kTensorLoad><<<1, 1, kDynamic>>>(map, global, 8192);
  launched("tensor load");
  of_thread<kTensorStore><<<1, 1, kDynamic>>>(map, global, 8192);
  launched("tensor store");
  of_thread<kBulkLoad><<<1, 1, kDynamic>>>(map, global, 8192);
  launched("bulk load");
  of_thread<kReduceU32><<<1, 1, kDynamic>>>(map, global, 8192);
  launched("bulk reduction");
  cluster<kNoAccess>("nothing, cluster", {4});
  cluster<kRemoteLoad4>("ld.shared::cluster.u32", {4});
  cluster<kRemoteStore4>("st.shared::cluster.u32", {4});
  cluster<kRemoteAtomic>("atom.shared::cluster.add.u32", {4});
  cluster<kRemoteCopy>("bulk copy to the cluster", {8192});
}

int main(int argc, char** argv) {
  DeviceArray<uint32_t> results(1024);
  out = results.get();
  DeviceArray<uint8_t> global(1 << 20);
  for (int i = 1; i < argc; ++i) {
    const std::string part = argv[i];
    if (part == "warp")
      warps();
    else if (part == "warpgroup")
      warpgroups();
    else if (part == "thread")
      threads(global.get());
    else if (part == "cluster")
      clusters();
    else if (part == "starts")
      all_starts();
    else if (part == "levels")
      levels();
    else if (part == "few")
      few(global.get());
    else
      return std::fprintf(stderr, "counted: no part %s\n", argv[i]), 2;
  }
  return 0;
}
