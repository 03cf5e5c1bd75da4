#include "bankshot/simt/tensor_access/copy_in.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/matrices/container.hpp"
#include "bankshot/simt/matrices/shared_operand.hpp"
#include "bankshot/simt/tensor_access/access.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kStrip = 8, kQuarter = 32;  ///< columns that a shift moves; lanes

template <class F>
const Instr* for_issuers(Warp& w, const Instr* i, F each) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "an instruction on tensor memory");
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t bits = w.row<const uint32_t>(i->op[0])[lane] + static_cast<uint32_t>(i->imm);
    if (!each(lane, TensorAddress::unpacked(bits))) return nullptr;
  }
  return i + 1;
}

}  // namespace

TensorCopyForm TensorCopyForm::named(std::string_view shape, bool neighbours) {
  if (shape == "128x256b") return {128, 8, 1};
  if (shape == "128x128b") return {128, 4, 1};
  if (shape == "4x256b") return {4, 8, 1};
  if (shape == "64x128b") return {64, 4, 2, neighbours};
  return {32, 4, 4};
}

uint32_t TensorCopyForm::packed() const {
  return rows | static_cast<uint32_t>(words) << 8 | static_cast<uint32_t>(copies) << 16 | (neighbours ? 1u << 24 : 0) |
         (pair ? 1u << 25 : 0) | static_cast<uint32_t>(bits) << 26;
}

TensorCopyForm TensorCopyForm::unpacked(uint32_t form) {
  return {static_cast<uint8_t>(form), static_cast<uint8_t>(form >> 8), static_cast<uint8_t>(form >> 16),
          (form >> 24 & 1) != 0,      (form >> 25 & 1) != 0,           static_cast<uint8_t>(form >> 26)};
}

unsigned TensorCopyForm::lane(unsigned row, unsigned copy) const {
  if (rows == 4) return row * kQuarter;
  if (neighbours) return row % kQuarter + row / kQuarter * 2 * kQuarter + copy * kQuarter;
  return row + copy * rows;
}

const Instr* run_tensor_copy_in(Warp& w, const Instr* i) {
  const TensorCopyForm form = TensorCopyForm::unpacked(i->op[2]);
  return for_issuers(w, i, [&](unsigned lane, TensorAddress at) {
    Cta* ctas[2] = {};
    const unsigned count = tensor_group(w, i, lane, form.pair, ctas);
    SharedOperand operand{'C', {}, false, std::max<unsigned>(form.rows, 8), form.words * 4u};
    std::string why = MatrixDescriptor::read(w.row<const uint64_t>(i->op[1])[lane], operand.descriptor);
    if (operand.descriptor.unit == 32)
      why = "layout 1, the 128-byte swizzle in units of 32 bytes, is for products only";
    if (!why.empty()) {
      fault(w, i, Fault::Kind::bad_tensor_memory, static_cast<int>(lane), 0,
            "the descriptor of the copy does not fit: " + why);
      return false;
    }
    operand.lines = std::min<unsigned>(form.rows, 8);
    for (unsigned c = 0; c < count; ++c) {
      const unsigned lanes = form.lane(form.rows - 1u, form.copies - 1u) + 1;
      if (!tensor_range(w, *ctas[c], i, static_cast<int>(lane), {at, lanes, form.words, true}, "the destination"))
        return false;
      std::byte bytes[128 * 32] = {};
      if (!fetch_operand(w, *ctas[c], i, static_cast<int>(lane), operand, bytes)) return false;
      expand(form.bits, bytes, size_t{operand.rows} * operand.depth);
      TensorMemory& memory = *ctas[c]->tensor_memory;
      for (unsigned row = 0; row < form.rows; ++row) {
        for (unsigned word = 0; word < form.words; ++word) {
          const unsigned core = row / 8 * (form.words / 4) + word / 4;
          uint32_t value;
          std::memcpy(&value, bytes + core * SharedOperand::kCoreBytes + row % 8 * 16 + word % 4 * 4, sizeof value);
          for (unsigned copy = 0; copy < form.copies; ++copy)
            memory.column(at.column + word)[at.lane + form.lane(row, copy)] = value;
        }
      }
    }
    return count != 0;
  });
}

const Instr* run_tensor_shift(Warp& w, const Instr* i) {
  return for_issuers(w, i, [&](unsigned lane, TensorAddress at) {
    Cta* ctas[2] = {};
    const unsigned count = tensor_group(w, i, lane, i->op[2] != 0, ctas);
    if (at.lane % kQuarter != 0) {
      fault(w, i, Fault::Kind::bad_tensor_memory, static_cast<int>(lane), 0,
            "the lane of the address must be a multiple of 32, but it is " + std::to_string(at.lane));
      return false;
    }
    for (unsigned c = 0; c < count; ++c) {
      if (!tensor_range(w, *ctas[c], i, static_cast<int>(lane), {at, kQuarter, kStrip, true}, "what is shifted"))
        return false;
      for (unsigned column = at.column; column < at.column + kStrip; ++column) {
        uint32_t* const first = ctas[c]->tensor_memory->column(column) + at.lane;
        std::memmove(first, first + 1, (kQuarter - 1) * sizeof *first);
      }
    }
    return count != 0;
  });
}

}  // namespace bankshot::simt
