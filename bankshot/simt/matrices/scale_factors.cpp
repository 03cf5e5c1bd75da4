#include "bankshot/simt/matrices/scale_factors.hpp"

#include <algorithm>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/matrices/fragment.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kWarpLanes = 32;

/// The value of a row of 16 bits, if all lanes give the same and it is allowed. @return false after a fault
bool choose(Warp& w, const Instr* i, uint32_t row, const ScaleChoice& choice, unsigned& value) {
  const auto* const values = w.row<const uint16_t>(row);
  value = values[0];
  const auto* const wrong =
      std::find_if(values, values + kWarpLanes, [&](uint16_t x) { return x != value || !choice.allows(x); });
  if (wrong == values + kWarpLanes) return true;
  fault(w, i, Fault::Kind::partial_warp, static_cast<int>(wrong - values), 0,
        "all threads of the warp have to give the same number for " + choice.what() + ", in this form " +
            choice.values() + ", but this one gives " + std::to_string(*wrong));
  return false;
}

}  // namespace

bool fetch_scales(Warp& w, const Instr* i, const MmaVariant& variant, ScaleFactors& out) {
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[5]];  // data, byte, thread of A, then of B
  unsigned byte[2], thread[2];
  for (unsigned k = 0; k < 2; ++k) {
    const bool of_a = k == 0;
    if (!choose(w, i, rows[3 * k + 1], variant.byte(of_a), byte[k]) ||
        !choose(w, i, rows[3 * k + 2], variant.thread(of_a), thread[k])) {
      return false;
    }
  }
  const auto* const a = w.row<const uint32_t>(rows[0]);
  const auto* const b = w.row<const uint32_t>(rows[3]);
  for (unsigned k = 0; k < variant.scales; ++k) {
    for (unsigned row = 0; row < 16; ++row) {
      const unsigned lane = kCoreGroups * (row % kCoreLines) + 2 * thread[0] + row / kCoreLines;
      out.a[row][k] = static_cast<uint8_t>(a[lane] >> 8 * (byte[0] + k));
    }
    for (unsigned column = 0; column < 8; ++column)
      out.b[column][k] = static_cast<uint8_t>(b[kCoreGroups * column + thread[1]] >> 8 * (byte[1] + k));
  }
  return true;
}

}  // namespace bankshot::simt
