// What cp.reduce.async.bulk makes of two values, for each operation and type, and with destinations in global memory
// and in the shared memory of a block of the cluster.
//   reductions OUT    writes OUT/reductions.txt: lines `where operation.type before operand after`, hexadecimal, and
//                     OUT/tensor_reductions.txt: the same of cp.reduce.async.bulk.tensor for each operation and type of
//                     the tensor map, each in a process of its own, as the GPU may refuse some: `… fault`
#include <algorithm>
#include <cstring>
#include <string>

#include "common.hpp"
#include "isolate.hpp"
#include "number.hpp"
#include "ptx.hpp"
#include "tensor_map.hpp"

using namespace hopper;

constexpr int kBytes = 2048;

__device__ void copy_in(uint8_t* shared, const uint8_t* from) {
  for (int i = threadIdx.x; i < kBytes; i += blockDim.x) shared[i] = from[i];
  fence_async();
  __syncthreads();
}

#define TO_GLOBAL(NAME, TEXT)                                                  \
  __global__ void global_##NAME(const uint8_t* operand, uint8_t* memory) {     \
    __shared__ __align__(128) uint8_t source[kBytes];                          \
    copy_in(source, operand);                                                  \
    if (threadIdx.x == 0) {                                                    \
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." TEXT  \
                   " [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(memory)), \
                   "r"(shared_address(source)), "r"(kBytes)                    \
                   : "memory");                                                \
      bulk_commit();                                                           \
      bulk_wait();                                                             \
    }                                                                          \
  }
/// Block 0 of a cluster of two reduces into block 1, whose barrier counts the bytes.
#define TO_CLUSTER(NAME, TEXT)                                                                           \
  __global__ void __cluster_dims__(2) cluster_##NAME(const uint8_t* operand, uint8_t* memory) {          \
    __shared__ __align__(128) uint8_t data[kBytes];                                                      \
    __shared__ __align__(8) uint64_t barrier;                                                            \
    const uint32_t rank = cluster_rank(), wait_on = shared_address(&barrier);                            \
    copy_in(data, rank == 0 ? operand : memory);                                                         \
    if (threadIdx.x == 0) {                                                                              \
      barrier_init(wait_on, 1);                                                                          \
      if (rank == 1) barrier_expect(wait_on, kBytes);                                                    \
    }                                                                                                    \
    cluster_sync();                                                                                      \
    if (rank == 0 && threadIdx.x == 0)                                                                   \
      asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." TEXT \
                   " [%0], [%1], %2, [%3];" ::"r"(map_to(shared_address(data), 1)),                      \
                   "r"(shared_address(data)), "r"(kBytes), "r"(map_to(wait_on, 1))                       \
                   : "memory");                                                                          \
    if (rank == 1) {                                                                                     \
      barrier_wait(wait_on, 0);                                                                          \
      for (int i = threadIdx.x; i < kBytes; i += blockDim.x) memory[i] = data[i];                        \
    }                                                                                                    \
    cluster_sync();                                                                                      \
  }
// clang-format off
#define INTEGERS(WHERE) \
  WHERE(add_u32, "add.u32") WHERE(add_s32, "add.s32") WHERE(add_u64, "add.u64") WHERE(min_u32, "min.u32") \
  WHERE(max_u32, "max.u32") WHERE(min_s32, "min.s32") WHERE(max_s32, "max.s32") WHERE(inc_u32, "inc.u32") \
  WHERE(dec_u32, "dec.u32") WHERE(and_b32, "and.b32") WHERE(or_b32, "or.b32") WHERE(xor_b32, "xor.b32")
#define OTHERS(WHERE) \
  WHERE(min_u64, "min.u64") WHERE(max_u64, "max.u64") WHERE(min_s64, "min.s64") WHERE(max_s64, "max.s64") \
  WHERE(and_b64, "and.b64") WHERE(or_b64, "or.b64") WHERE(xor_b64, "xor.b64") WHERE(add_f32, "add.f32") \
  WHERE(add_f64, "add.f64") WHERE(add_f16, "add.noftz.f16") WHERE(min_f16, "min.f16") WHERE(max_f16, "max.f16") \
  WHERE(add_bf16, "add.noftz.bf16") WHERE(min_bf16, "min.bf16") WHERE(max_bf16, "max.bf16")
// clang-format on
INTEGERS(TO_GLOBAL)
OTHERS(TO_GLOBAL)
INTEGERS(TO_CLUSTER)

using Kernel = void (*)(const uint8_t*, uint8_t*);
struct Kind {
  const char *where, *name;
  Kernel kernel;
};
#define GLOBAL(NAME, TEXT) {"global", TEXT, global_##NAME},
#define CLUSTER(NAME, TEXT) {"cluster", TEXT, cluster_##NAME},
const Kind kKinds[] = {INTEGERS(GLOBAL) OTHERS(GLOBAL) INTEGERS(CLUSTER)};

/// Random values of a type, among them equal, extreme and special ones.
uint64_t value(const std::string& type, Random& random) {
  const int width = type.ends_with("64") ? 64 : type.ends_with("16") ? 16 : 32;
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (type[0] == 'u' || type[0] == 's' || type[0] == 'b' && type[1] != 'f') {
    const uint64_t special[] = {0, 1, 2, mask, mask - 1, mask >> 1, (mask >> 1) + 1, 5};
    return random.below(2) ? special[random.below(8)] : random.next() & mask;
  }
  if (type == "f64") {
    const double special[] = {0.0, -0.0, 1.0, 5e-324, 1e308, -1e308, 1.0 / 3, 1e16};
    const double x = special[random.below(8)];
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    return random.below(3) ? bits : random.next();
  }
  const Format& f = type == "f32" ? kF32 : type == "f16" ? kF16 : kBf16;
  const uint32_t sign = random.below(2) ? f.sign_bit() : 0;
  switch (random.below(8)) {
    case 0: return sign;
    case 1: return sign | f.infinity();
    case 2: return sign | (f.infinity() + 1 + random.below((1 << f.mantissa_bits) - 1));
    case 3: return sign | random.below(1 << f.mantissa_bits);
    case 4: return sign | (f.infinity() - 1);
    default: return encode(f, sign != 0, random.between(-3, 12), random.bits());
  }
}

/// Values of a type before and to be reduced with them, of `bytes` in all.
void operands(const std::string& type, int width, int bytes, Random& random, std::vector<uint8_t>& before,
              std::vector<uint8_t>& operand) {
  before.resize(bytes), operand.resize(bytes);
  for (int at = 0; at < bytes; at += width) {
    const uint64_t x = value(type, random), y = random.below(8) ? value(type, random) : x;
    std::memcpy(&before[at], &x, width);
    std::memcpy(&operand[at], &y, width);
  }
}
void print(std::FILE* file, const char* where, const std::string& name, int width, int count,
           const std::vector<uint8_t>& before, const std::vector<uint8_t>& operand, const std::vector<uint8_t>& after) {
  for (int at = 0; at < count * width; at += width) {
    unsigned long long x = 0, y = 0, z = 0;
    std::memcpy(&x, &before[at], width);
    std::memcpy(&y, &operand[at], width);
    std::memcpy(&z, &after[at], width);
    std::fprintf(file, "%s %s %llx %llx %llx\n", where, name.c_str(), x, y, z);
  }
  std::fflush(file);
}

enum Operation { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };
constexpr const char* kOperations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
template <Operation kOperation>
__global__ void with_tensor(const __grid_constant__ CUtensorMap map, const uint8_t* operand) {
  __shared__ __align__(128) uint8_t source[kBytes];
  copy_in(source, operand);
  if (threadIdx.x != 0) return;
#define REDUCE(NAME)                                                     \
  asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta." NAME \
               ".tile.bulk_group [%0, {%1}], [%2];" ::"l"(&map),         \
               "r"(0), "r"(shared_address(source))                       \
               : "memory")
  if constexpr (kOperation == kAdd) REDUCE("add");
  if constexpr (kOperation == kMin) REDUCE("min");
  if constexpr (kOperation == kMax) REDUCE("max");
  if constexpr (kOperation == kInc) REDUCE("inc");
  if constexpr (kOperation == kDec) REDUCE("dec");
  if constexpr (kOperation == kAnd) REDUCE("and");
  if constexpr (kOperation == kOr) REDUCE("or");
  if constexpr (kOperation == kXor) REDUCE("xor");
#undef REDUCE
  bulk_commit();
  bulk_wait();
}
constexpr void (*kWithTensor[])(CUtensorMap, const uint8_t*) = {with_tensor<kAdd>, with_tensor<kMin>, with_tensor<kMax>,
                                                                with_tensor<kInc>, with_tensor<kDec>, with_tensor<kAnd>,
                                                                with_tensor<kOr>,  with_tensor<kXor>};
const struct {
  const char* name;
  CUtensorMapDataType type;
  int width;
} kTensorTypes[] = {{"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4},  {"s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 4},
                    {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8},  {"s64", CU_TENSOR_MAP_DATA_TYPE_INT64, 8},
                    {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2}, {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
                    {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4}, {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8},
                    {"u16", CU_TENSOR_MAP_DATA_TYPE_UINT16, 2}};
void tensor_reductions(std::FILE* file) {
  constexpr int kPlaces = 128;
  const auto name = [](int i) { return std::string(kOperations[i % 8]) + "." + kTensorTypes[i / 8].name; };
  isolate(
      static_cast<int>(std::size(kTensorTypes)) * 8, 50,
      [&](int i) {
        const auto& type = kTensorTypes[i / 8];
        Random random(i);
        std::vector<uint8_t> before, operand;
        operands(type.name, type.width, kBytes, random, before, operand);
        const DeviceArray<uint8_t> memory(before), source(operand);
        CUtensorMap map;
        const Tiles tiles{type.type, type.width, 1, {kPlaces}, {}, {kPlaces}};
        if (encode_tiles(map, tiles, memory.get()) != CUDA_SUCCESS) {
          std::fprintf(file, "tensor %s refused\n", name(i).c_str());
          return;
        }
        kWithTensor[i % 8]<<<1, 128>>>(map, source.get());
        synchronize();
        print(file, "tensor", name(i), type.width, kPlaces, before, operand, memory.download());
      },
      [&](int i) { std::fprintf(file, "tensor %s fault\n", name(i).c_str()); });
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: reductions OUT\n"), 2;
  const std::string folder = argv[1];
  std::FILE *file = std::fopen((folder + "/reductions.txt").c_str(), "w"),
            *tensors = std::fopen((folder + "/tensor_reductions.txt").c_str(), "w");
  if (!file || !tensors) return std::perror(argv[1]), 1;
  tensor_reductions(tensors);
  for (const Kind& kind : kKinds) {
    const std::string name = kind.name, type = name.substr(name.rfind('.') + 1);
    const int width = type.ends_with("64") ? 8 : type.ends_with("16") ? 2 : 4;
    Random random(width + name.size());
    std::vector<uint8_t> before, operand;
    operands(type, width, kBytes, random, before, operand);
    const DeviceArray<uint8_t> memory(before), source(operand);
    kind.kernel<<<kind.where[0] == 'c' ? 2 : 1, 128>>>(source.get(), memory.get());
    synchronize();
    print(file, kind.where, name, width, 200, before, operand, memory.download());
  }
  std::puts("reductions: written");
  return 0;
}
