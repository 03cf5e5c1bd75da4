// The structures of copies in batches that programs pass to the CUDA interfaces. Source: CUDA runtime and driver API
// references, "Data Structures"; compared with the toolkit's own by tests/cuda/layout.cu.
#pragma once

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/abi/abi_graph.hpp"

namespace bankshot::cuda::abi {

/// CUmemcpyAttributes.
struct CopyAttributes {
  int order;  ///< when the source may be read: 1 in the stream's order, 2 during the call, 3 at any time
  Location from_hint, to_hint;
  unsigned flags;
};
/// CUmemcpy3DOperand. Lengths and positions in elements.
struct CopyOperand {
  int type;  ///< 1 pointer, 2 array
  union {
    struct {
      uint64_t address;
      size_t row_length, layer_height;  ///< 0: those of the extent
      Location hint;
    } pointer;
    struct {
      void* array;
      size_t x, y, z;
    } array;
  };
};
/// CUDA_MEMCPY3D_BATCH_OP.
struct BatchCopy {
  CopyOperand from, to;
  Extent extent;  ///< elements
  int order;
  unsigned flags;
};

/// Whether these are the indices of the first members of `groups` groups of `count` things: 0, then ascending.
inline bool are_firsts(const size_t* firsts, size_t groups, size_t count) {
  if (!firsts || groups == 0 || groups > count || firsts[0] != 0) return false;
  for (size_t k = 1; k < groups; ++k)
    if (firsts[k] <= firsts[k - 1] || firsts[k] >= count) return false;
  return true;
}

}  // namespace bankshot::cuda::abi
