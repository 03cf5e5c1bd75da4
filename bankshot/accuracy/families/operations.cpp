#include "bankshot/accuracy/families/operations.hpp"

#include <algorithm>
#include <array>

namespace bankshot::accuracy {
namespace {

constexpr std::array kOperations = {
    // Integers.
    Operation{"add.u32", 32, "add.u32 $, $, @;"},
    Operation{"addc.u32", 32, "addc.u32 $, $, @;"},
    Operation{"lop3.b32", 32, "lop3.b32 $, $, @, %x, 0xe8;"},  // what most of the three have
    Operation{"add+xor", 32, "add.u32 $, $, @; xor.b32 $, $, %x;", 2},
    Operation{"mul.lo.u32", 32, "mul.lo.u32 $, $, @;"},
    Operation{"mad.lo.u32", 32, "mad.lo.u32 $, $, %x, %y;"},
    Operation{"mul24.lo.u32", 32, "mul24.lo.u32 $, $, @;"},
    Operation{"mul24.hi.u32", 32, "mul24.hi.u32 $, $, @;"},
    Operation{"sad.u32", 32, "sad.u32 $, $, %x, %y;"},
    Operation{"div.u32", 32, "div.u32 $, $, %x;"},
    Operation{"div.s32", 32, "div.s32 $, $, %x;"},
    Operation{"rem.u32", 32, "rem.u32 $, $, %x;"},
    Operation{"rem.s32", 32, "rem.s32 $, $, %x;"},
    Operation{"dp4a.s32", 32, "dp4a.s32.s32 $, %x, %y, $;"},
    Operation{"dp4a.u32", 32, "dp4a.u32.u32 $, %x, %y, $;"},
    // Bits.
    Operation{"popc.b32", 32, "popc.b32 $, $;"},
    Operation{"clz.b32", 32, "clz.b32 $, $;"},
    Operation{"brev.b32", 32, "brev.b32 $, $;"},
    Operation{"bfind.u32", 32, "bfind.u32 $, $;"},
    Operation{"bfe.u32", 32, "bfe.u32 $, $, %x, %y;"},
    Operation{"bfi.b32", 32, "bfi.b32 $, $, %x, 3, 5;"},
    Operation{"cnot+add", 32, "cnot.b32 $, $; add.u32 $, $, %x;", 2},
    Operation{"prmt.b32", 32, "prmt.b32 $, $, %x, 0x3201;"},
    Operation{"shf.l.b32", 32, "shf.l.wrap.b32 $, $, %x, 7;"},
    // Comparisons and selections.
    Operation{"selp.b32", 32, "selp.b32 $, $, %x, %p0;"},
    Operation{"setp.u32+selp", 32, "setp.lt.u32 %p1, $, %x; selp.b32 $, %x, %y, %p1;", 2},
    Operation{"setp.f32+selp", 32, "setp.lt.f32 %p1, $, %x; selp.b32 $, %x, %y, %p1;", 2},
    // Floats.
    Operation{"add.f32", 32, "add.f32 $, $, @;"},
    Operation{"mul.f32", 32, "mul.f32 $, $, @;"},
    Operation{"fma.rn.f32", 32, "fma.rn.f32 $, $, %x, %y;"},
    Operation{"div.rn.f32", 32, "div.rn.f32 $, $, %x;"},
    Operation{"rcp.rn.f32", 32, "rcp.rn.f32 $, $;"},
    Operation{"sqrt.rn.f32", 32, "sqrt.rn.f32 $, $;"},
    Operation{"rcp.approx.f32", 32, "rcp.approx.f32 $, $;"},
    Operation{"sqrt.approx.f32", 32, "sqrt.approx.f32 $, $;"},
    Operation{"rsqrt.approx.f32", 32, "rsqrt.approx.f32 $, $;"},
    Operation{"sin.approx.f32", 32, "sin.approx.f32 $, $;"},
    Operation{"ex2.approx.f32", 32, "ex2.approx.f32 $, $;"},
    Operation{"rcp.approx.ftz.f32", 32, "rcp.approx.ftz.f32 $, $;"},
    Operation{"rsqrt.approx.ftz.f32", 32, "rsqrt.approx.ftz.f32 $, $;"},
    Operation{"sin.approx.ftz.f32", 32, "sin.approx.ftz.f32 $, $;"},
    Operation{"cos.approx.ftz.f32", 32, "cos.approx.ftz.f32 $, $;"},
    Operation{"ex2.approx.ftz.f32", 32, "ex2.approx.ftz.f32 $, $;"},
    Operation{"lg2.approx.ftz.f32", 32, "lg2.approx.ftz.f32 $, $;"},
    Operation{"rcp+add", 32, "rcp.approx.ftz.f32 $, $; add.ftz.f32 $, $, %x;", 1},
    // Halves.
    Operation{"add.f16", 16, "add.f16 $, $, @;"},
    Operation{"mul.f16", 16, "mul.f16 $, $, @;"},
    Operation{"fma.rn.f16", 16, "fma.rn.f16 $, $, $, @;"},
    Operation{"add.f16x2", 32, "add.f16x2 $, $, @;"},
    Operation{"mul.f16x2", 32, "mul.f16x2 $, $, @;"},
    Operation{"fma.rn.f16x2", 32, "fma.rn.f16x2 $, $, %x, %y;"},
    // Doubles.
    Operation{"add.f64", 64, "add.f64 $, $, @;"},
    Operation{"mul.f64", 64, "mul.f64 $, $, @;"},
    Operation{"fma.rn.f64", 64, "fma.rn.f64 $, $, %u, %v;"},
    Operation{"div.rn.f64", 64, "div.rn.f64 $, $, %u;"},
    Operation{"rcp.rn.f64", 64, "rcp.rn.f64 $, $;"},
    Operation{"sqrt.rn.f64", 64, "sqrt.rn.f64 $, $;"},
    Operation{"rsqrt.approx.ftz.f64", 64, "rsqrt.approx.ftz.f64 $, $;"},
    // Conversions, there and back.
    Operation{"cvt.rzi.s32.f32", 32, "cvt.rzi.s32.f32 $, $;"},
    Operation{"cvt.f32.f16", 32, "cvt.rn.f16.f32 %h0, $; cvt.f32.f16 $, %h0;", 2},
    Operation{"cvt.s32.f32", 32, "cvt.rzi.s32.f32 %r60, $; cvt.rn.f32.s32 $, %r60;", 2},
    // Of the warp.
    Operation{"bar.warp.sync", 32, "bar.warp.sync 0xffffffff;"},
    Operation{"shfl.sync.idx", 32, "shfl.sync.idx.b32 $, $, %lane, 31, 0xffffffff;"},
};

}  // namespace

const Operation* find_operation(std::string_view name) {
  const auto found =
      std::find_if(kOperations.begin(), kOperations.end(), [&](const Operation& one) { return one.name == name; });
  return found == kOperations.end() ? nullptr : &*found;
}

}  // namespace bankshot::accuracy
