// ldmatrix and stmatrix in all their forms.
#pragma once
#include "ptx.hpp"

namespace hopper {

enum MatrixAccess {
  kLoad1,
  kLoad2,
  kLoad4,
  kLoad1T,
  kLoad2T,
  kLoad4T,
  kStore1,
  kStore2,
  kStore4,
  kStore1T,
  kStore2T,
  kStore4T,
  kMatrixAccesses
};

/// One of them by a warp, each lane with its row's address.
template <int kInstruction>
__device__ inline void matrix_access(uint32_t at, uint32_t (&r)[4]) {
#define LOAD(SHAPE, LIST)                                                        \
  asm volatile("ldmatrix.sync.aligned.m8n8." SHAPE ".shared.b16 " LIST ", [%4];" \
               : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])                  \
               : "r"(at)                                                         \
               : "memory")
#define STORE(SHAPE, LIST)                                                                                          \
  asm volatile("stmatrix.sync.aligned.m8n8." SHAPE ".shared.b16 [%4], " LIST ";" ::"r"(r[0]), "r"(r[1]), "r"(r[2]), \
               "r"(r[3]), "r"(at)                                                                                   \
               : "memory")
  if constexpr (kInstruction == kLoad1) LOAD("x1", "{%0}");
  if constexpr (kInstruction == kLoad2) LOAD("x2", "{%0, %1}");
  if constexpr (kInstruction == kLoad4) LOAD("x4", "{%0, %1, %2, %3}");
  if constexpr (kInstruction == kLoad1T) LOAD("x1.trans", "{%0}");
  if constexpr (kInstruction == kLoad2T) LOAD("x2.trans", "{%0, %1}");
  if constexpr (kInstruction == kLoad4T) LOAD("x4.trans", "{%0, %1, %2, %3}");
  if constexpr (kInstruction == kStore1) STORE("x1", "{%0}");
  if constexpr (kInstruction == kStore2) STORE("x2", "{%0, %1}");
  if constexpr (kInstruction == kStore4) STORE("x4", "{%0, %1, %2, %3}");
  if constexpr (kInstruction == kStore1T) STORE("x1.trans", "{%0}");
  if constexpr (kInstruction == kStore2T) STORE("x2.trans", "{%0, %1}");
  if constexpr (kInstruction == kStore4T) STORE("x4.trans", "{%0, %1, %2, %3}");
#undef LOAD
#undef STORE
}

}  // namespace hopper
