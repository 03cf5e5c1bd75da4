// The parts of families that need more than one file; each family's own function calls them.
#pragma once

#include "bankshot/simt/isa/lanes/families.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

void arith_mul_rows(Rows& rows);     ///< mul, mad, mul24, mad24, dp4a, dp2a
void arith_div_rows(Rows& rows);     ///< div, rem
void arith_carry_rows(Rows& rows);   ///< add.cc … madc
void arith_video_rows(Rows& rows);   ///< vabsdiff4 and relatives
void scalar_video_rows(Rows& rows);  ///< vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset, vmad
void logic_field_rows(Rows& rows);   ///< shf, bfe, bfi, bfind, bmsk, szext, fns, prmt
void float_mixed_rows(Rows& rows);   ///< add, sub, fma of f32 with f16 or bf16
void float_order_rows(Rows& rows);   ///< abs, neg, min, max, copysign, testp: rules on the bits of a float

}  // namespace bankshot::simt::BANKSHOT_ISA
