// tcgen05.cp and .shift: from shared memory into tensor memory, and within it. Source: PTX ISA 9.0, section 9.7.16.10;
// the lanes, which it has as figures, as CUTLASS 4 states them (cute/atom/copy_traits_sm100.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Rows of 16 or 32 bytes that a descriptor describes, K-major, go to lanes.
struct TensorCopyForm {
  uint8_t rows = 128, words = 4;  ///< of 32 bits, of a row
  uint8_t copies = 1;             ///< lanes that a row goes to
  bool neighbours = false;        ///< .warpx2::01_23: a row's lanes are in quarters 0 and 1, or 2 and 3
  bool pair = false;
  uint8_t bits = 8;  ///< of an element: narrower ones get a byte each (.b8x16); container.hpp

  /// @param shape  "128x256b"
  static TensorCopyForm named(std::string_view shape, bool neighbours);
  uint32_t packed() const;
  static TensorCopyForm unpacked(uint32_t form);
  /// The lane of a copy of a row, from the address on.
  unsigned lane(unsigned row, unsigned copy) const;
};

/// op[0]: row of addresses, imm: added to them; op[1]: row of descriptors; op[2]: TensorCopyForm; aux: site
const Instr* run_tensor_copy_in(Warp& w, const Instr* i);
/// Each of the first 31 of 32 lanes gets the eight columns of the lane behind it. op[0]: row of addresses, imm: added
/// to them; op[2]: 1 if .cta_group::2
const Instr* run_tensor_shift(Warp& w, const Instr* i);

}  // namespace bankshot::simt
