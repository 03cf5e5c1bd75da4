#include "bankshot/simt/matrices/shared_operand.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kLanes32 = 32, kUnit = 16;

std::string text_of(const MatrixDescriptor& d) {
  return "start " + std::to_string(d.start) + (d.absolute ? ", leading address " : ", leading offset ") +
         std::to_string(d.leading) + ", stride offset " + std::to_string(d.stride) + ", " + d.swizzle().text() +
         (d.base_offset == 0 ? "" : ", base offset " + std::to_string(d.base_offset));
}

/// The core's bytes. @return false after a fault
bool fetch_core(Warp& w, const Cta& cta, const Instr* i, int lane, const SharedOperand& operand,
                const OperandCore& core, std::byte* to) {
  const uint32_t size = cta.shared_bytes;
  for (size_t r = 0; r < operand.lines; ++r) {
    if (core[r] <= size - kUnit && size >= kUnit) {
      std::memcpy(to + r * kUnit, cta.shared + core[r], kUnit);
      continue;
    }
    fault(w, i, Fault::Kind::out_of_shared, lane, core[r],
          std::string("operand ") + (operand.operand == 'C' ? "of the copy" : std::string(1, operand.operand)) +
              " has 16 bytes at shared offset " + std::to_string(core[r]) + ", but the CTA has " +
              std::to_string(size) + " bytes of shared memory\n  its descriptor: " + text_of(operand.descriptor));
    return false;
  }
  return true;
}

}  // namespace

SharedOperand::Cores SharedOperand::cores() const {
  if (!mn_major) return {rows / 8, depth / kUnit};
  return {depth / bytes / 8, rows * bytes / kUnit};
}

OperandLayout SharedOperand::layout() const {
  return {operand,
          static_cast<uint16_t>(rows),
          static_cast<uint16_t>(depth),
          {mn_major, descriptor.swizzle(), descriptor.leading, descriptor.stride,
           static_cast<uint8_t>(descriptor.base_offset), descriptor.absolute}};
}

bool fetch_operand(Warp& w, const Cta& cta, const Instr* i, int lane, const SharedOperand& operand, std::byte* to) {
  const auto [gs, js] = operand.cores();
  const uint64_t read = (uint64_t{1} << operand.lines) - 1;
  const uint64_t window = &cta == w.cta ? 0 : in_rank(cta.rank, 0);
  std::optional<TileReads>& tiles = w.worker->tiles;
  if (tiles) tiles->begin(i->aux, operand.layout(), operand.descriptor.start, js);
  for (unsigned g = 0; g < gs; ++g) {
    for (unsigned j = 0; j < js; ++j, to += SharedOperand::kCoreBytes) {
      const OperandCore core = operand.descriptor.core(operand.mn_major, g, j);
      if (!fetch_core(w, cta, i, lane, operand, core, to)) return false;
      if (Checker* const checks = w.worker->checks) {
        std::array<uint64_t, kLanes32> rows{};
        std::transform(core.begin(), core.end(), rows.begin(), [&](uint32_t row) { return window | row; });
        checks->multiplies(w, i, lane, read, rows.data(), kUnit, operand.descriptor.swizzle());
      }
      if (!w.worker->counting) continue;
      if (tiles) tiles->read({core.data(), operand.lines}, cta.writers);
      std::array<uint32_t, kLanes32> offsets{};
      std::copy(core.begin(), core.end(), offsets.begin());
      count_shared(w, i->aux, scratchpad::AccessKind::ldmatrix, kUnit, offsets.data(), read);
    }
  }
  return true;
}

}  // namespace bankshot::simt
