#include "bankshot/simt/matrices/warpgroup_operands.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kThreads = 32, kUnit = 16;
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

std::string text_of(const MatrixDescriptor& d) {
  return "start " + std::to_string(d.start) + ", leading offset " + std::to_string(d.leading) + ", stride offset " +
         std::to_string(d.stride) + ", " +
         (d.atom == kUnit ? "no swizzle" : "swizzle of " + std::to_string(d.atom) + " bytes") +
         (d.base_offset == 0 ? "" : ", base offset " + std::to_string(d.base_offset));
}

struct WarpgroupOperand {
  const char* name;  ///< "A"
  MatrixDescriptor descriptor;
  bool mn_major;
  unsigned rows;  ///< of A, or columns of B
  unsigned depth = WarpgroupForm::kDepth;
};

/// The core's bytes. @return false after a fault
bool fetch_core(Warp& w, const Instr* i, const WarpgroupOperand& operand, const OperandCore& core, std::byte* to) {
  const uint32_t size = w.cta->shared_bytes;
  for (size_t r = 0; r < core.size(); ++r) {
    if (core[r] <= size - kUnit && size >= kUnit) {
      std::memcpy(to + r * kUnit, w.cta->shared + core[r], kUnit);
      continue;
    }
    fault(w, i, Fault::Kind::out_of_shared, -1, core[r],
          std::string("operand ") + operand.name + " has 16 bytes at shared offset " + std::to_string(core[r]) +
              ", but the CTA has " + std::to_string(size) +
              " bytes of shared memory\n  its descriptor: " + text_of(operand.descriptor));
    return false;
  }
  return true;
}

bool fetch(const Warpgroup& group, const Instr* i, const WarpgroupOperand& operand, std::byte* to) {
  Warp& w = *group[0];
  const auto [gs, js] = WarpgroupOperands::cores(operand.mn_major, operand.rows, operand.depth);
  for (unsigned g = 0; g < gs; ++g) {
    for (unsigned j = 0; j < js; ++j, to += WarpgroupOperands::kCoreBytes) {
      const OperandCore core = operand.descriptor.core(operand.mn_major, g, j);
      if (!fetch_core(w, i, operand, core, to)) return false;
      if (Checker* const checks = w.worker->checks) {
        std::array<uint64_t, kThreads> rows{};
        std::copy(core.begin(), core.end(), rows.begin());
        checks->multiplies(w, i, 0xff, rows.data(), kUnit);
      }
      if (!w.worker->counting) continue;
      std::array<uint32_t, kThreads> offsets{};
      std::copy(core.begin(), core.end(), offsets.begin());
      count_shared(w, i->aux, scratchpad::AccessKind::ldmatrix, kUnit, offsets.data(), 0xff);
    }
  }
  return true;
}

}  // namespace

WarpgroupOperands::Cores WarpgroupOperands::cores(bool mn_major, unsigned rows, unsigned depth) {
  const unsigned units = depth / kUnit;  // 16 bytes of k; MN-major: eight elements of 16 bits
  return mn_major ? Cores{units, rows / 8} : Cores{rows / 8, units};
}

bool fetch_operands(const Warpgroup& group, const Instr* i, const WarpgroupForm& form, WarpgroupOperands& to) {
  uint64_t bits = 0;
  if (!scale_of(group, i, to.accumulates)) return false;
  if (i->op[1] != OperandRef::kNone) {
    if (!same_for_all(group, i, i->op[1], "descriptor of A", bits)) return false;
    const WarpgroupOperand a{"A", MatrixDescriptor::unpacked(bits), form.mn_major_a, WarpgroupForm::kM};
    if (!fetch(group, i, a, to.a.data())) return false;
  }
  if (!same_for_all(group, i, i->op[2], "descriptor of B", bits)) return false;
  return fetch(group, i, {"B", MatrixDescriptor::unpacked(bits), form.mn_major_b, form.n, form.depth_of_b()},
               to.b.data());
}

}  // namespace bankshot::simt
