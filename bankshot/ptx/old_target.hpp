// Modules for the first GPUs, sm_10 to sm_13: what their text leaves unsaid.
#pragma once

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// Writes out what newer GPUs make of a module for sm_1x; leaves others as they are. Their f32 arithmetic takes
/// subnormal numbers for zeros, and a mad.f32 without rounding becomes fma.rn.ftz.f32. A mov.u16 takes the lower half
/// of a special register. A .tex variable is a .global .texref. Source: PTX ISA 9.0, "Floating Point Instructions" and
/// section 5.1.8 (texture state space); the machine code of ptxas 13.0 is the same for both texts.
void spell_out_old_target(Module& module);

}  // namespace bankshot::ptx
