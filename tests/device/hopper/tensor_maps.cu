// Where the tensor memory accelerator writes what it reads, by tensor map: swizzle, element, box, coordinates, address.
//
// Byte i of the source holds 1 + i, eight bits in each of three passes, so that each byte of the destination tells
// which byte came there; 0 is a byte that was filled in. A fourth pass over another background finds the bytes that
// were not written.
//   tensor_maps OUT   writes OUT/tensor_maps.tsv, a line for each transfer with the number of bytes that differ from
//   `expected`
//                     (-1: no formula), and OUT/tensor_maps.bin: u32 codes of `bytes` bytes for each line, 0xffffffff
//                     unwritten, else 1 + source byte; for stores the source is shared memory, offsets from `to`.
//                     OUT/tensor_map_values.txt has the values of floating-point types that change on the way.
// A transfer that the GPU refuses to make ends its process: `arrived` is "fault", and the next go on in another.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "isolate.hpp"
#include "ptx.hpp"
#include "tensor_map.hpp"

using namespace hopper;

constexpr uint32_t kUnwritten = 0xffffffff;
constexpr int kShared = 48 * 1024, kGlobal = 256 * 1024, kThreads = 128;

enum class Way { load, store, im2col };
struct Transfer {
  Way way;
  Tiles tiles;
  Coordinates from;
  uint32_t to;            ///< bytes from a base of 1,024 B alignment
  uint16_t offsets[2]{};  ///< im2col
  uint32_t bytes = 0;     ///< im2col: of the box
};

__device__ uint32_t fill_shared(const uint8_t* dynamic, uint32_t value) {
  const uint32_t base = aligned_base(dynamic);
  for (int i = threadIdx.x; i < kShared / 4; i += kThreads) store_shared(base + 4 * i, value * 0x01010101u);
  return base;
}

/// Waits at most some 50 us, so that a wrong count of bytes is a result and not a fault.
__device__ bool arrives(uint32_t barrier) {
  for (const long long start = clock64(); clock64() - start < 100'000;)
    if (barrier_try(barrier, 0)) return true;
  return false;
}

/// out: kShared bytes of shared memory after the load, then whether the barrier's phase ended.
__global__ void __launch_bounds__(kThreads)
    load(const __grid_constant__ CUtensorMap map, int rank, Coordinates from, uint32_t to, uint32_t bytes,
         uint32_t background, bool im2col, uint16_t offset_w, uint16_t offset_h, uint32_t* out) {
  extern __shared__ uint8_t dynamic[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t base = fill_shared(dynamic, background), at = shared_address(&barrier);
  if (threadIdx.x == 0) barrier_init(at, 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(at, bytes);
    if (im2col)
      asm volatile(
          "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
          "%6}], [%2], {%7, %8};" ::"r"(base + to),
          "l"(&map), "r"(at), "r"(from.at[0]), "r"(from.at[1]), "r"(from.at[2]), "r"(from.at[3]), "h"(offset_w),
          "h"(offset_h)
          : "memory");
    else
      tensor_load(base + to, &map, rank, from, at);
  }
  const bool done = arrives(at);
  __syncthreads();
  for (int i = threadIdx.x; i < kShared / 4; i += kThreads) out[i] = load_shared(base + 4 * i);
  if (threadIdx.x == 0) out[kShared / 4] = done;
}

/// Shared memory from `to` on holds the numbers of its bytes, as the source of a load does.
__global__ void __launch_bounds__(kThreads)
    store(const __grid_constant__ CUtensorMap map, int rank, Coordinates at, uint32_t to, int pass) {
  extern __shared__ uint8_t dynamic[];
  const uint32_t base = aligned_base(dynamic);
  for (uint32_t i = threadIdx.x; i < kShared - to; i += kThreads)
    store_shared(base + to + i, static_cast<uint8_t>((i + 1) >> (8 * pass)));
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    tensor_store(&map, rank, at, base + to);
    bulk_commit();
    bulk_wait();
  }
}

std::vector<uint8_t> numbered(int pass) {
  std::vector<uint8_t> bytes(kGlobal);
  for (int i = 0; i < kGlobal; ++i) bytes[i] = static_cast<uint8_t>((i + 1) >> (8 * pass));
  return bytes;
}

/// Puts the passes together; `blank` and `other` are two first passes over different backgrounds.
std::vector<uint32_t> decode(const std::vector<std::vector<uint8_t>>& passes, uint8_t background,
                             const std::vector<uint8_t>& other, uint8_t other_background) {
  std::vector<uint32_t> codes(passes[0].size());
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = passes[0][i] == background && other[i] == other_background
                   ? kUnwritten
                   : passes[0][i] | passes[1][i] << 8 | passes[2][i] << 16;
  return codes;
}

uint32_t box_bytes(const Transfer& t) {
  if (t.way == Way::im2col) return t.bytes;
  uint32_t bytes = t.tiles.element;
  for (int d = 0; d < t.tiles.rank; ++d) bytes *= (t.tiles.box[d] + t.tiles.step[d] - 1) / t.tiles.step[d];
  return bytes;
}

/// Codes of shared memory after a load, in tile mode and without interleave: the box is dense, its innermost dimension
/// first, and bits 4.. of the address are exclusive-or'ed with bits 7...
std::vector<uint32_t> expected(const Transfer& t) {
  const Tiles& m = t.tiles;
  const uint32_t wide = m.swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 8
                        : m.swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 4
                        : m.swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 2
                                                                 : 1;
  std::vector<uint32_t> codes(kShared, kUnwritten);
  const uint32_t bytes = box_bytes(t);
  for (uint32_t i = 0; i < bytes; ++i) {
    uint32_t rest = i / m.element, source = i % m.element;
    bool inside = true;
    for (int d = 0; d < m.rank; ++d) {
      const uint32_t count = (m.box[d] + m.step[d] - 1) / m.step[d];
      const int64_t x = t.from.at[d] + static_cast<int64_t>(rest % count) * m.step[d];
      rest /= count;
      inside = inside && x >= 0 && x < static_cast<int64_t>(m.size[d]);
      source += static_cast<uint32_t>(x * (d == 0 ? m.element : static_cast<int64_t>(m.pitch[d - 1])));
    }
    const uint32_t at = t.to + i;
    codes[at ^ ((at >> 7 & (wide - 1)) << 4)] = inside ? source + 1 : 0;
  }
  return codes;
}

std::FILE *lines, *binary;

CUresult encode(CUtensorMap& map, const Transfer& t, void* global) {
  if (t.way != Way::im2col) return encode_tiles(map, t.tiles, global);
  static const auto encode_im2col = driver_function<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
  const int lower[2] = {-1, -1}, upper[2] = {-1, -1};
  const Tiles& m = t.tiles;
  return encode_im2col(&map, m.type, m.rank, global, m.size, m.pitch, lower, upper, m.box[0], m.box[1], m.step,
                       m.interleave, m.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, m.fill);
}

std::string list(const auto* values, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? "," : "") + std::to_string(values[i]);
  return text;
}

/// The line of a transfer up to what comes of it, so that a fault leaves the rest to the process that goes on.
void begin_line(const Transfer& t, const char* what) {
  const Tiles& m = t.tiles;
  std::fprintf(lines, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%u\t%u,%u\t", what, static_cast<int>(m.type),
               m.element, list(m.size, m.rank).c_str(), list(m.pitch, m.rank - 1).c_str(), list(m.box, m.rank).c_str(),
               list(m.step, m.rank).c_str(), static_cast<int>(m.swizzle), static_cast<int>(m.interleave),
               static_cast<int>(m.fill), list(t.from.at, m.rank).c_str(), t.to, t.offsets[0], t.offsets[1]);
  std::fflush(lines);
}

void measure(const Transfer& t, const char* what) {
  begin_line(t, what);
  const Tiles& m = t.tiles;
  CUtensorMap map;
  DeviceArray<uint8_t> global(kGlobal);
  const CUresult refused = encode(map, t, global.get());
  std::vector<uint32_t> codes;
  bool done = true;
  if (refused == CUDA_SUCCESS) {
    std::vector<std::vector<uint8_t>> passes;
    const auto run = [&](int pass, uint8_t background) {
      std::vector<uint8_t> bytes;
      if (t.way == Way::store) {
        CHECK(cudaMemset(global.get(), background, kGlobal));
        store<<<1, kThreads, kShared + 1024>>>(map, m.rank, t.from, t.to, pass);
        synchronize();
        bytes = global.download();
      } else {
        DeviceArray<uint32_t> out(kShared / 4 + 1);
        global.upload(numbered(pass));
        load<<<1, kThreads, kShared + 1024>>>(map, m.rank, t.from, t.to, box_bytes(t), background, t.way == Way::im2col,
                                              t.offsets[0], t.offsets[1], out.get());
        synchronize();
        const std::vector<uint32_t> words = out.download();
        done = done && words.back();
        for (int i = 0; i < kShared; ++i) bytes.push_back(static_cast<uint8_t>(words[i / 4] >> (8 * (i % 4))));
      }
      return bytes;
    };
    for (int pass = 0; pass < 3; ++pass) passes.push_back(run(pass, 0x55));
    codes = decode(passes, 0x55, run(0, 0xaa), 0xaa);
  }
  int differ = -1;
  std::string example;
  if (t.way == Way::load && m.interleave == CU_TENSOR_MAP_INTERLEAVE_NONE &&
      m.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && !codes.empty()) {
    const std::vector<uint32_t> want = expected(t);
    differ = 0;
    for (int i = 0; i < kShared; ++i)
      if (codes[i] != want[i] && ++differ == 1)
        example = std::to_string(i) + ": " + std::to_string(static_cast<int>(codes[i])) + " not " +
                  std::to_string(static_cast<int>(want[i]));
  }
  while (!codes.empty() && codes.back() == kUnwritten) codes.pop_back();
  std::fprintf(lines, "%d\t%d\t%zu\t%d\t%s\n", static_cast<int>(refused), done, codes.size(), differ, example.c_str());
  std::fwrite(codes.data(), sizeof(uint32_t), codes.size(), binary);
  std::fflush(lines);
  std::fflush(binary);
}

/// What loads of floating-point types do to codes: lines `type before after`.
void values(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return;
  const struct {
    const char* name;
    CUtensorMapDataType type;
    int element;
  } types[] = {{"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},   {"f32_ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4},
               {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4}, {"tf32_ftz", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 4},
               {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},   {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2}};
  for (const auto& type : types) {
    Random random(1);
    std::vector<uint8_t> bytes(kGlobal);
    uint32_t before[256];
    for (int i = 0; i < 256; ++i) {
      const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                  0x7f800000, 0x7f800001, 0x7fc12345, 0xffffffff, 0x3f800fff, 0x3f801000,
                                  0x3f801001, 0x3f803000, 0x7f7fffff, 0x00001000};
      before[i] = i < 16 ? special[i] : i < 96 ? random.bits() & 0x807fffff : random.bits();
      for (int b = 0; b < 4; ++b) bytes[4 * i + b] = static_cast<uint8_t>(before[i] >> (8 * b));
    }
    DeviceArray<uint8_t> global(bytes);
    const Tiles tiles{type.type, type.element,
                      1,         {static_cast<cuuint64_t>(1024 / type.element)},
                      {},        {static_cast<cuuint32_t>(512 / type.element)}};
    CUtensorMap map;
    if (encode_tiles(map, tiles, global.get()) != CUDA_SUCCESS) {
      std::fprintf(file, "%s refused\n", type.name);
      continue;
    }
    for (int half = 0; half < 2; ++half) {
      DeviceArray<uint32_t> out(kShared / 4 + 1);
      load<<<1, kThreads, kShared + 1024>>>(map, 1, Coordinates{{half * 512 / type.element}}, 0, 512, 0x55, false, 0, 0,
                                            out.get());
      synchronize();
      const std::vector<uint32_t> after = out.download();
      for (int i = 0; i < 128; ++i) std::fprintf(file, "%s %08x %08x\n", type.name, before[128 * half + i], after[i]);
    }
  }
  std::fclose(file);
}

struct Named {
  Transfer transfer;
  const char* what;
};
std::vector<Named> transfers() {
  std::vector<Named> all;
  const auto add = [&](const Transfer& t, const char* what) { all.push_back({t, what}); };
  const CUtensorMapDataType of_size[] = {CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16,
                                         CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_UINT64};
  const CUtensorMapSwizzle modes[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                      CU_TENSOR_MAP_SWIZZLE_128B};
  const uint32_t spans[] = {256, 32, 64, 128};
  // A matrix of 128 rows of 512 B: innermost boxes as wide as the swizzle and narrower, by element and address.
  for (int mode = 0; mode < 4; ++mode)
    for (int log = 0; log < 4; ++log) {
      const cuuint32_t element = 1u << log;
      const auto matrix = [&](cuuint32_t inner, cuuint32_t rows, int x, int y, uint32_t to, Way way, const char* what) {
        Tiles m{of_size[log], static_cast<int>(element), 2,          {512 / element, 128},
                {512},        {inner / element, rows},   modes[mode]};
        add({way, m, {{x, y}}, to}, what);
      };
      for (uint32_t inner : {16u, 32u, 48u, 64u, 112u, 128u, 256u})
        if (inner <= spans[mode] && inner / element <= 256) matrix(inner, 24, 16 / element, 3, 0, Way::load, "width");
      if (log == 1 || log == 2)
        for (uint32_t to : {128u, 256u, 384u, 512u, 640u, 768u, 896u, 1024u, 1152u, 2176u})
          matrix(std::min(spans[mode], 128u), 20, 0, 0, to, Way::load, "address");
      const int aligned = 16 / static_cast<int>(element);
      const uint32_t usual = std::min(spans[mode], 128u);
      for (auto [x, y] : {std::pair{0, 0}, {-aligned, 0}, {0, -3}, {-aligned, -3}, {1, 0}, {-1, 0}, {3, 5}, {-5, -3}})
        if (x % aligned == 0 || mode == 0 || log == 1) matrix(usual, 16, x, y, 0, Way::load, "place");
      if (log == 1)
        for (uint32_t to : {16u, 32u, 64u}) matrix(usual, 16, 0, 0, to, Way::load, "unaligned");
      matrix(usual, 16, -2 * aligned, -3, 128, Way::load, "outside");
      matrix(usual, 16, (512 - 16) / static_cast<int>(element), 121, 128, Way::load, "outside");
      for (uint32_t to : {0u, 128u, 896u}) matrix(usual, 20, aligned, 5, to, Way::store, "store");
      matrix(usual, 16, -aligned, -3, 0, Way::store, "store outside");
      matrix(usual / 2, 20, aligned, 5, 0, Way::store, "store narrow");
      if (mode == 0) matrix(usual, 20, 3, 5, 0, Way::store, "store place");
    }
  for (int mode = 0; mode < 4; ++mode) {
    const cuuint32_t inner = std::min(spans[mode], 128u) / 2;
    // One, three, four and five dimensions of 16-bit elements.
    add({Way::load, {of_size[1], 2, 1, {4096}, {}, {inner}, modes[mode]}, {{40}}, 256}, "rank 1");
    add({Way::load, {of_size[1], 2, 3, {96, 20, 12}, {192, 4096}, {inner, 5, 6}, modes[mode]}, {{8, 2, 3}}, 128},
        "rank 3");
    add({Way::load, {of_size[1], 2, 3, {96, 20, 12}, {192, 4096}, {inner, 5, 6}, modes[mode]}, {{-8, 17, -3}}, 128},
        "rank 3 outside");
    add({Way::store, {of_size[1], 2, 3, {96, 20, 12}, {192, 4096}, {inner, 5, 6}, modes[mode]}, {{8, 2, 3}}, 128},
        "store rank 3");
    add({Way::load,
         {of_size[1], 2, 4, {96, 6, 5, 7}, {192, 1216, 6144}, {inner, 3, 2, 4}, modes[mode]},
         {{8, 2, 3, 1}},
         0},
        "rank 4");
    add({Way::load,
         {of_size[1], 2, 5, {96, 6, 5, 3, 4}, {192, 1216, 6144, 18432}, {inner, 3, 2, 2, 2}, modes[mode]},
         {{8, 2, 3, 1, 1}},
         0},
        "rank 5");
    // Every second or third element.
    Tiles stepping{of_size[2], 4, 2, {128, 128}, {512}, {inner / 2, 12}, modes[mode]};
    stepping.step[1] = 3;
    add({Way::load, stepping, {{4, 2}}, 0}, "step 1,3");
    stepping.step[0] = 2, stepping.step[1] = 1;
    add({Way::load, stepping, {{4, 2}}, 0}, "step 2,1");
    for (const auto& [type, element] : {std::pair{CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},
                                        {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
                                        {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},
                                        {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8},
                                        {CU_TENSOR_MAP_DATA_TYPE_UINT32, 4}}) {
      Tiles nan{type,       element, 2, {static_cast<cuuint64_t>(512 / element), 128}, {512}, {2 * inner / element, 16},
                modes[mode]};
      nan.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
      add({Way::load, nan, {{-32 / element, 120}}, 0}, "nan outside");
    }
  }
  // Images of 16-bit channels: 2 of them, 6 high, 7 wide, 64 channels; filters of 3 x 3 in boxes of pixels.
  for (int mode = 0; mode < 4; ++mode) {
    const cuuint32_t inner = std::min(spans[mode], 128u) / 2;
    for (uint16_t offset : {0, 1, 2}) {
      Transfer image{Way::im2col,
                     {of_size[1], 2, 4, {64, 7, 6, 2}, {128, 896, 5376}, {inner, 20}, modes[mode]},
                     {{0, -1, -1, 0}},
                     0,
                     {offset, static_cast<uint16_t>(offset / 2)},
                     inner * 2 * 20};
      add(image, "im2col");
      image.from = {{16, 2, 1, 0}};
      add(image, "im2col");
    }
  }
  for (auto [interleave, bytes, swizzle] : {std::tuple{CU_TENSOR_MAP_INTERLEAVE_16B, 16, CU_TENSOR_MAP_SWIZZLE_NONE},
                                            {CU_TENSOR_MAP_INTERLEAVE_32B, 32, CU_TENSOR_MAP_SWIZZLE_32B}}) {
    Tiles m{of_size[1],
            2,
            3,
            {64, 20, 6},
            {static_cast<cuuint64_t>(20 * bytes), 4096},
            {static_cast<cuuint32_t>(bytes / 2), 8, 3},
            swizzle};
    m.interleave = interleave;
    add({Way::load, m, {{0, 0, 0}}, 0}, "interleave");
    add({Way::load, m, {{1, 3, 1}}, 0}, "interleave");
    add({Way::load, m, {{-1, -2, 1}}, 256}, "interleave");
  }
  return all;
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: tensor_maps OUT\n"), 2;
  const std::string folder = argv[1];
  lines = std::fopen((folder + "/tensor_maps.tsv").c_str(), "w");
  binary = std::fopen((folder + "/tensor_maps.bin").c_str(), "wb");
  if (!lines || !binary) return std::perror(argv[1]), 1;
  std::fprintf(lines,
               "what\ttype\telement\tsize\tpitch\tbox\tstep\tswizzle\tinterleave\tfill\tcoordinates\tto\toffsets\trefus"
               "ed\tarrived\tbytes\tdiffer\texample\n");
  const std::vector<Named> all = transfers();
  const int count = static_cast<int>(all.size());
  const int faults = isolate(
      count + 1, 80,
      [&](int i) {
        CHECK(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared + 1024));
        CHECK(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared + 1024));
        if (i < count)
          measure(all[i].transfer, all[i].what);
        else
          values(folder + "/tensor_map_values.txt");
      },
      [&](int i) {
        if (i < count) std::fprintf(lines, "0\tfault\t0\t-1\t\n");
      });
  std::printf("tensor_maps: %d transfers, %d faults\n", count, faults);
  return faults < 0;
}
