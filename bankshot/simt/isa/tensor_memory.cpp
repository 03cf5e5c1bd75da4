// tcgen05 except its products: which handler executes each form. Source: PTX ISA 9.0, section 9.7.16. Products:
// tensor_product.cpp.
#include "bankshot/simt/isa/lanes/extreme.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_control.hpp"
#include "bankshot/simt/lower/lower_tensor_memory.hpp"
#include "bankshot/simt/matrices/matrix.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/tensor_access/access.hpp"
#include "bankshot/simt/tensor_access/copy_in.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// tcgen05.ld.red: what a thread loads, and the least or largest of it. @tparam T  as its bits for floats
template <class T, class Both>
const Instr* reduce_loaded(Warp& w, const Instr* i) {
  const Instr* const next = run_tensor_memory_load(w, i);
  if (next == nullptr) return nullptr;
  const std::vector<u32>& rows = w.worker->program->lists[i->op[1]];
  for (unsigned t = 0; t < 32; ++t) {
    T all = w.row<const T>(rows[0])[t];
    for (size_t reg = 1; reg < rows.size(); ++reg) all = Both{}(all, w.row<const T>(rows[reg])[t]);
    w.row<T>(i->op[4])[t] = all;
  }
  return next;
}

template <unsigned Options>
Handler reduction_of_floats(const Match& m) {
  if (m.has("abs")) {
    return m.has("NaN") ? &reduce_loaded<u32, Extreme<Options | kAbsolute | kPropagateNan>>
                        : &reduce_loaded<u32, Extreme<Options | kAbsolute>>;
  }
  return m.has("NaN") ? &reduce_loaded<u32, Extreme<Options | kPropagateNan>> : &reduce_loaded<u32, Extreme<Options>>;
}

template <class T, bool Max>
struct ExtremeInteger {
  T operator()(T a, T b) const { return (a < b) != Max ? a : b; }
};

Handler reduction_of(const Match& m) {
  const bool max = m.has("max");
  if (m.type == ptx::Type::f32) return max ? reduction_of_floats<kMax>(m) : reduction_of_floats<kPlain>(m);
  if (m.type == ptx::Type::s32)
    return max ? &reduce_loaded<s32, ExtremeInteger<s32, true>> : &reduce_loaded<s32, ExtremeInteger<s32, false>>;
  return max ? &reduce_loaded<u32, ExtremeInteger<u32, true>> : &reduce_loaded<u32, ExtremeInteger<u32, false>>;
}

}  // namespace

void tensor_memory_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, Unit unit, Handler handler, Lower lower) {
    rows.push_back({syntax, sets, unit, always(handler), lower});
  };
#define BANKSHOT_GROUP "group = cta_group::1 cta_group::2"
#define BANKSHOT_NUM "num = x1 x2 x4 x8 x16 x32 x64 x128"
#define BANKSHOT_FORMATS "; format = b6x16_p32 b4x16_p64"
#define BANKSHOT_SHAPES "shape = 32x32b 16x64b 16x128b 16x256b; " BANKSHOT_NUM
  add("tcgen05.alloc.group.sync.aligned{.shared::cta}.b32 [p], columns:u32", BANKSHOT_GROUP, Unit::control,
      &run_tensor_allocate, &lower_tensor_allocate);
  add("tcgen05.dealloc.group.sync.aligned.b32 a:u32, columns:u32", BANKSHOT_GROUP, Unit::control, &run_tensor_free,
      &lower_tensor_free);
  add("tcgen05.relinquish_alloc_permit.group.sync.aligned", BANKSHOT_GROUP, Unit::control, &run_tensor_relinquish,
      &lower_nothing);
  add("tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 r, [a]", BANKSHOT_SHAPES, Unit::control,
      &run_tensor_memory_load, &lower_tensor_load);
  add("tcgen05.ld.sync.aligned.16x32bx2.num{.pack::16b}.b32 r, [a], split:imm", BANKSHOT_NUM, Unit::control,
      &run_tensor_memory_load, &lower_tensor_load);
  constexpr std::string_view kReductions = "num = x2 x4 x8 x16 x32 x64 x128; op = min max; type = f32 u32 s32";
  for (const std::string_view form :
       {"tcgen05.ld.red.sync.aligned.32x32b.num.op{.abs}{.NaN}.type r, d, [a]",
        "tcgen05.ld.red.sync.aligned.16x32bx2.num.op{.abs}{.NaN}.type r, d, [a], split:imm"})
    rows.push_back({form, kReductions, Unit::control, &reduction_of, &lower_tensor_reduce});
  add("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [a], r", BANKSHOT_SHAPES, Unit::control,
      &run_tensor_memory_store, &lower_tensor_store);
  add("tcgen05.st.sync.aligned.16x32bx2.num{.unpack::16b}.b32 [a], split:imm, r", BANKSHOT_NUM, Unit::control,
      &run_tensor_memory_store, &lower_tensor_store);
  add("tcgen05.which.sync.aligned", "which = wait::ld wait::st", Unit::fence, &run_whole_warp, &lower_nothing);
  add("tcgen05.which", "which = fence::before_thread_sync fence::after_thread_sync", Unit::fence, &no_operation,
      &lower_nothing);
  add("tcgen05.commit.group.mbarrier::arrive::one{.shared::cluster}.b64 [p]", BANKSHOT_GROUP, Unit::control,
      &run_tensor_commit, &lower_tensor_commit);
  add("tcgen05.commit.group.mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [p], ctas:b16",
      BANKSHOT_GROUP, Unit::control, &run_tensor_commit, &lower_tensor_commit);
  const auto copy = [&](std::string_view syntax, std::string_view sets) {
    add(syntax, sets, Unit::control, &run_tensor_copy_in, &lower_tensor_copy_in);
  };
  copy("tcgen05.cp.group.shape{.b8x16}{.format} [d], a:b64",
       BANKSHOT_GROUP BANKSHOT_FORMATS "; shape = 128x256b 4x256b 128x128b");
  copy("tcgen05.cp.group.64x128b.warps{.b8x16}{.format} [d], a:b64",
       BANKSHOT_GROUP BANKSHOT_FORMATS "; warps = warpx2::02_13 warpx2::01_23");
  copy("tcgen05.cp.group.32x128b.warpx4{.b8x16}{.format} [d], a:b64", BANKSHOT_GROUP BANKSHOT_FORMATS);
  add("tcgen05.shift.group.down [d]", BANKSHOT_GROUP, Unit::control, &run_tensor_shift, &lower_tensor_shift);
#undef BANKSHOT_GROUP
#undef BANKSHOT_SHAPES
#undef BANKSHOT_FORMATS
#undef BANKSHOT_NUM
}

}  // namespace bankshot::simt::BANKSHOT_ISA
