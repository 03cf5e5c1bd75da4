// The families of rows: each file of simt/isa appends its own.
#pragma once

#include "bankshot/simt/isa/lanes/lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

void arith_rows(Rows& rows);        ///< integer add, sub, mul, mad, sad, div, rem, abs, neg, min, max, carries, dp4a, …
void logic_rows(Rows& rows);        ///< and, or, xor, not, shifts, bit fields, lop3, prmt, popc, clz, …
void compare_rows(Rows& rows);      ///< setp, set, selp, slct
void float_rows(Rows& rows);        ///< f32 and f64 arithmetic, exact
void approx_rows(Rows& rows);       ///< rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh, approximate
void half_rows(Rows& rows);         ///< f16, bf16 and packed forms
void convert_rows(Rows& rows);      ///< cvt
void move_rows(Rows& rows);         ///< mov, cvta, isspacep
void memory_rows(Rows& rows);       ///< ld, st, prefetch
void atomic_rows(Rows& rows);       ///< atom, red
void async_rows(Rows& rows);        ///< cp.async, cp.async.bulk, mbarrier
void cluster_rows(Rows& rows);      ///< barrier.cluster, mapa, getctarank, st.async, red.async
void tensor_copy_rows(Rows& rows);  ///< cp.async.bulk.tensor, cp.reduce.async.bulk
void wide_atomic_rows(Rows& rows);  ///< atom and red of 128 bits and of vectors, mov.b128, alloca
void multimem_rows(Rows& rows);     ///< accesses through multicast objects
void warp_rows(Rows& rows);         ///< shfl, vote, match, redux, activemask, elect
void tensor_rows(Rows& rows);       ///< mma, wmma, ldmatrix, stmatrix, movmatrix
void sparse_matrix_rows(Rows& rows);   ///< mma.sp
void scaled_matrix_rows(Rows& rows);   ///< mma and mma.sp with .kind: elements of 4 and 6 bits, scale factors
void warpgroup_rows(Rows& rows);       ///< wgmma
void tensor_memory_rows(Rows& rows);   ///< tcgen05 but its products
void tensor_product_rows(Rows& rows);  ///< tcgen05.mma
void byte_matrix_rows(Rows& rows);     ///< ldmatrix, stmatrix of elements of 8 bits and less
void texture_rows(Rows& rows);         ///< tex, tld4, txq, suld, sust, sured, suq, istypep
void control_rows(Rows& rows);         ///< bra, brx, call, ret, exit, bar, barrier, membar, fence, trap, nanosleep

/// Of instructions that have no effect.
inline const Instr* no_operation(Warp&, const Instr* i) { return i + 1; }

}  // namespace bankshot::simt::BANKSHOT_ISA
