// Tensor maps of the driver, which is found at run time.
#pragma once
#include <cuda.h>

#include "common.hpp"

namespace hopper {

template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) std::fprintf(stderr, "the driver has no %s\n", name), std::exit(1);
  return reinterpret_cast<Function>(function);
}

/// A box of a tensor of up to 5 dimensions, the innermost first. Sizes and steps in elements, but `pitch` in bytes,
/// from dimension 1.
struct Tiles {
  CUtensorMapDataType type;
  int element;  ///< bytes
  int rank;
  cuuint64_t size[5];
  cuuint64_t pitch[4];
  cuuint32_t box[5];
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  cuuint32_t step[5] = {1, 1, 1, 1, 1};
};

/// The driver's status is the result: it refuses what the GPU lacks.
inline CUresult encode_tiles(CUtensorMap& map, const Tiles& t, void* global,
                             CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE) {
  static const auto encode = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
  return encode(&map, t.type, t.rank, global, t.size, t.pitch, t.box, t.step, t.interleave, t.swizzle, promotion,
                t.fill);
}

struct Coordinates {
  int at[5];
};

#ifdef __CUDACC__
__device__ inline void tensor_load(uint32_t to, const CUtensorMap* map, int rank, const Coordinates& c,
                                   uint32_t barrier) {
#define LOAD(RANK, LIST, ...)                                                                                        \
  asm volatile("cp.async.bulk.tensor." #RANK                                                                         \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" LIST "}], [%2];" ::"r"(to), \
               "l"(map), "r"(barrier), __VA_ARGS__                                                                   \
               : "memory")
  switch (rank) {
    case 1: LOAD(1, "%3", "r"(c.at[0])); break;
    case 2: LOAD(2, "%3, %4", "r"(c.at[0]), "r"(c.at[1])); break;
    case 3: LOAD(3, "%3, %4, %5", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2])); break;
    case 4: LOAD(4, "%3, %4, %5, %6", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3])); break;
    case 5: LOAD(5, "%3, %4, %5, %6, %7", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4])); break;
  }
#undef LOAD
}
__device__ inline void tensor_store(const CUtensorMap* map, int rank, const Coordinates& c, uint32_t from) {
#define STORE(RANK, LIST, ...)                                                                  \
  asm volatile("cp.async.bulk.tensor." #RANK "d.global.shared::cta.tile.bulk_group [%1, {" LIST \
               "}], [%0];" ::"r"(from),                                                         \
               "l"(map), __VA_ARGS__                                                            \
               : "memory")
  switch (rank) {
    case 1: STORE(1, "%2", "r"(c.at[0])); break;
    case 2: STORE(2, "%2, %3", "r"(c.at[0]), "r"(c.at[1])); break;
    case 3: STORE(3, "%2, %3, %4", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2])); break;
    case 4: STORE(4, "%2, %3, %4, %5", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3])); break;
    case 5: STORE(5, "%2, %3, %4, %5, %6", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4])); break;
  }
#undef STORE
}
#endif

}  // namespace hopper
