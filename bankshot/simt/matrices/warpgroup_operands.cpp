#include "bankshot/simt/matrices/warpgroup_operands.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "bankshot/simt/control/control.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kThreads = 32;
constexpr uint64_t kWholeWarp = 0xffffffff;

/// @param what  "descriptor of A"
void disagree(Warp& w, const Instr* i, unsigned lane, const std::string& what) {
  fault(w, i, Fault::Kind::partial_warp, static_cast<int>(lane), 0,
        "all threads of the warpgroup have to give the same " + what + ", but this one gives another than the first");
}

/// The value that all threads have in a row of 64 bits. @return false after a fault
bool same_for_all(const Warpgroup& group, const Instr* i, uint32_t row, const std::string& what, uint64_t& value) {
  value = group[0]->row<const uint64_t>(row)[0];
  for (Warp* w : group) {
    const uint64_t* const values = w->row<const uint64_t>(row);
    const uint64_t* const other =
        std::find_if(values, values + kThreads, [&](uint64_t other) { return other != value; });
    if (other == values + kThreads) continue;
    disagree(*w, i, static_cast<unsigned>(other - values), what);
    return false;
  }
  return true;
}

bool scale_of(const Warpgroup& group, const Instr* i, bool& accumulates) {
  accumulates = (group[0]->predicate_value(i->op[3]) & 1) != 0;
  for (Warp* w : group) {
    const uint64_t others = (w->predicate_value(i->op[3]) & kWholeWarp) ^ (accumulates ? kWholeWarp : 0);
    if (others == 0) continue;
    disagree(*w, i, static_cast<unsigned>(std::countr_zero(others)), "scale-d");
    return false;
  }
  return true;
}

}  // namespace

bool fetch_operands(const Warpgroup& group, const Instr* i, const WarpgroupForm& form, WarpgroupOperands& to) {
  uint64_t bits = 0;
  if (!scale_of(group, i, to.accumulates)) return false;
  if (i->op[1] != OperandRef::kNone) {
    if (!same_for_all(group, i, i->op[1], "descriptor of A", bits)) return false;
    const SharedOperand a{'A', MatrixDescriptor::unpacked(bits), form.mn_major_a, WarpgroupForm::kM};
    if (!fetch_operand(*group[0], *group[0]->cta, i, kWarpgroup, a, to.a.data())) return false;
  }
  if (!same_for_all(group, i, i->op[2], "descriptor of B", bits)) return false;
  const SharedOperand b{'B', MatrixDescriptor::unpacked(bits), form.mn_major_b, form.n, form.depth_of_b()};
  return fetch_operand(*group[0], *group[0]->cta, i, kWarpgroup, b, to.b.data());
}

}  // namespace bankshot::simt
