// What a product reads of shared memory by a descriptor: wgmma and tcgen05.mma. The same for every instruction set of
// the host.
#pragma once

#include <cstddef>

#include "bankshot/simt/matrices/warpgroup_form.hpp"
#include "bankshot/simt/state/cta_state.hpp"
#include "bankshot/simt/tiles/operand_layout.hpp"

namespace bankshot::simt {

struct Instr;

/// A, or B.
struct SharedOperand {
  static constexpr size_t kCoreBytes = 128;
  char operand = 'A';  ///< OperandLayout::operand
  MatrixDescriptor descriptor;
  bool mn_major = false;
  unsigned rows = 0;                       ///< of A, or columns of B
  unsigned depth = WarpgroupForm::kDepth;  ///< bytes of one
  unsigned bytes = 2;                      ///< of an element, if MN-major
  unsigned lines = 8;                      ///< of a core, that are read

  /// How many cores it has, by MatrixDescriptor::core().
  struct Cores {
    unsigned g, j;
  };
  Cores cores() const;
  OperandLayout layout() const;
};

constexpr int kWarpgroup = -1;

/// Reads an operand: its cores (g, j) one after the other, j fastest. Counts the wavefronts at the site.
/// @param cta  whose shared memory it is in @param lane  of w, that issued the product, or kWarpgroup, whose first warp
/// w is @return false after a fault
bool fetch_operand(Warp& w, const Cta& cta, const Instr* i, int lane, const SharedOperand& operand, std::byte* to);

}  // namespace bankshot::simt
