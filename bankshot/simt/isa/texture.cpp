// Textures and surfaces. Source: PTX ISA, "Texture Instructions", "Surface Instructions". How they run: texture_op.hpp.
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_texture.hpp"
#include "bankshot/simt/state/texture_op.hpp"
#include "bankshot/simt/textures/texture_run.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// In the instruction's rounding, which is to nearest: another instruction may have left another.
template <Handler Run>
const Instr* to_nearest(Warp& w, const Instr* i) {
  set_fp(w, i);
  return Run(w, i);
}

}  // namespace

void texture_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, Handler handler, Lower lower) {
    rows.push_back({syntax, sets, Unit::memory, always(handler), lower});
  };
  constexpr Handler fetch = &to_nearest<&run_texture>, surface = &to_nearest<&run_surface>;
  add("tex{.mip}.geom.v4.dtype.ctype d, a:texture",
      "mip = base level grad; geom = 1d 2d 3d a1d a2d cube acube; dtype = u32 s32 f32 f16; ctype = s32 f32", fetch,
      &lower_texture);
  add("tex{.mip}.geom.v2.f16x2.ctype d, a:texture",
      "mip = base level grad; geom = 1d 2d 3d a1d a2d cube acube; ctype = s32 f32", fetch, &lower_texture);
  add("tld4.comp.geom.v4.dtype.f32 d, a:texture", "comp = r g b a; geom = 2d a2d cube acube; dtype = u32 s32 f32",
      fetch, &lower_texture);
  add("txq.query.b32 d, a:texture",
      "query = width height depth channel_data_type channel_order normalized_coords array_size num_mipmap_levels "
      "num_samples "
      "filter_mode addr_mode_0 addr_mode_1 addr_mode_2",
      &run_texture_query, &lower_texture_query);
  add("txq.level.query.b32 d, a:texture, lod:b32", "query = width height depth", &run_texture_query,
      &lower_texture_query);
  add("suld.b.geom{.cop}{.vec}.dtype.clamp d, a:surface",
      "geom = 1d 2d 3d a1d a2d; cop = ca cg cs cv; vec = v2 v4; dtype = b8 b16 b32 b64; clamp = trap clamp zero",
      surface, &lower_surface);
  add("sust.b.geom{.cop}{.vec}.dtype.clamp a:surface, b",
      "geom = 1d 2d 3d a1d a2d; cop = wb cg cs wt; vec = v2 v4; dtype = b8 b16 b32 b64; clamp = trap clamp zero",
      surface, &lower_surface);
  add("sust.p.geom{.vec}.b32.clamp a:surface, b", "geom = 1d 2d 3d a1d a2d; vec = v2 v4; clamp = trap clamp zero",
      surface, &lower_surface);
  add("sured.b.op.geom.ctype.clamp a:surface, b",
      "op = add min max and or; geom = 1d 2d 3d a1d a2d; ctype = u32 u64 s32 b32 s64; clamp = trap clamp zero", surface,
      &lower_surface);
  add("sured.p.op.geom.b32.clamp a:surface, b",
      "op = add min max and or; geom = 1d 2d 3d a1d a2d; clamp = trap clamp zero", surface, &lower_surface);
  add("suq.query.b32 d, a:surface",
      "query = width height depth channel_data_type channel_order array_size memory_layout", &run_texture_query,
      &lower_texture_query);
  add("istypep.kind p, a:u64", "kind = texref surfref", &run_texture_is_type, &lower_texture_query);
}

}  // namespace bankshot::simt::BANKSHOT_ISA
