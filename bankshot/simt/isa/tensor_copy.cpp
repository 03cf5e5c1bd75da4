// Copies of boxes of tensors, and copies in bulk that combine. Source: PTX ISA 9.0, sections 9.7.9.25.4 and 9.7.9.25.5.
// What they do does not depend on the host's instruction set: it is in simt/async.
#include "bankshot/simt/async/tensor_copy.hpp"
#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/async/async_copy.hpp"
#include "bankshot/simt/async/tensor_replace.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_async.hpp"
#include "bankshot/simt/lower/lower_control.hpp"
#include "bankshot/simt/matrices/matrix.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// In shared memory there are reductions of integers only, and sums of 16-bit floats want .noftz.
Handler select_reduction(const Match& m) {
  const Reduction reduction = reduction_named(m.which({"add", "min", "max", "inc", "dec", "and", "or", "xor"}));
  const bool halves = m.type == ptx::Type::f16 || m.type == ptx::Type::bf16, floats = halves || is_float(m.type);
  const bool sums = reduction == Reduction::add;
  if (!has_form(reduction, m.type) || (sums && m.type == ptx::Type::s64)) return nullptr;
  if (m.has("noftz") != (halves && sums)) return nullptr;
  if (m.has("bulk_group")) return &run_bulk_store;
  return floats || (m.type == ptx::Type::u64 && !sums) ? nullptr : &run_bulk_move;
}

const Instr* copy_tensor_map(Warp& w, const Instr* i) { return whole_warp(w, i) ? run_tensor_map_copy(w, i) : nullptr; }

}  // namespace

#define BANKSHOT_DIMENSIONS "dim = 1d 2d 3d 4d 5d; "
#define BANKSHOT_LOADS "mode = tile tile::gather4 im2col im2col::w im2col::w::128"
#define BANKSHOT_OPERATIONS "op = add min max inc dec and or xor; "

void tensor_copy_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, Handler handler, Lower lower) {
    rows.push_back({syntax, sets, Unit::memory, always(handler), lower});
  };
  add("cp.async.bulk.tensor.dim.shared::cluster.global{.mode}.mbarrier::complete_tx::bytes{.multicast::cluster}{.group}"
      "{.L2::cache_hint} [d], [map], [barrier], ctas:u16",
      BANKSHOT_DIMENSIONS "group = cta_group::1 cta_group::2; " BANKSHOT_LOADS, &run_tensor_load, &lower_tensor_copy);
  add("cp.async.bulk.tensor.dim.shared::cta.global{.mode}.mbarrier::complete_tx::bytes{.group}{.L2::cache_hint} "
      "[d], "
      "[map], [barrier]",
      BANKSHOT_DIMENSIONS "group = cta_group::1 cta_group::2; " BANKSHOT_LOADS, &run_tensor_load, &lower_tensor_copy);
  add("cp.async.bulk.tensor.dim.global.shared::cta{.mode}.bulk_group{.L2::cache_hint} [map], [a]",
      BANKSHOT_DIMENSIONS "mode = tile tile::scatter4 im2col_no_offs", &run_tensor_store, &lower_tensor_copy);
  add("cp.reduce.async.bulk.tensor.dim.global.shared::cta.op{.mode}.bulk_group{.L2::cache_hint} [map], [a]",
      BANKSHOT_DIMENSIONS BANKSHOT_OPERATIONS "mode = tile tile::scatter4 im2col_no_offs", &run_tensor_store,
      &lower_tensor_copy);
  add("cp.async.bulk.prefetch.tensor.dim.L2.global{.mode}{.L2::cache_hint} [map]", BANKSHOT_DIMENSIONS BANKSHOT_LOADS,
      &no_operation, &lower_tensor_prefetch);
  rows.push_back(
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.op{.noftz}.type [d], [a], bytes:u32",
       BANKSHOT_OPERATIONS "type = f16 bf16 b32 u32 s32 b64 u64 s64 f32 f64", Unit::memory, select_reduction,
       &lower_bulk_reduce});
  rows.push_back(
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.op.type [d], [a], bytes:u32, "
       "[barrier]",
       BANKSHOT_OPERATIONS "type = b32 u32 s32 u64", Unit::memory, select_reduction, &lower_bulk_reduce});
  constexpr std::string_view kPlaces = "space = global shared::cta";
  add("tensormap.replace.tile.global_address{.space}.b1024.b64 [a], b", kPlaces, &run_tensor_replace,
      &lower_tensor_replace);
  add("tensormap.replace.tile.rank{.space}.b1024.b32 [a], b", kPlaces, &run_tensor_replace, &lower_tensor_replace);
  add("tensormap.replace.tile.field{.space}.b1024.b32 [a], value:imm",
      "field = elemtype interleave_layout swizzle_mode swizzle_atomicity fill_mode; space = global shared::cta",
      &run_tensor_replace, &lower_tensor_replace);
  add("tensormap.replace.tile.field{.space}.b1024.b32 [a], dimension:imm, b",
      "field = box_dim global_dim element_stride; space = global shared::cta", &run_tensor_replace,
      &lower_tensor_replace);
  add("tensormap.replace.tile.global_stride{.space}.b1024.b64 [a], dimension:imm, b", kPlaces, &run_tensor_replace,
      &lower_tensor_replace);
  add("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [d], [a], bytes:imm",
      "scope = cta cluster gpu sys", &copy_tensor_map, &lower_tensor_map_copy);
}

#undef BANKSHOT_DIMENSIONS
#undef BANKSHOT_LOADS
#undef BANKSHOT_OPERATIONS

}  // namespace bankshot::simt::BANKSHOT_ISA
