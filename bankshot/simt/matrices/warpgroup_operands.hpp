// What a wgmma.mma_async reads of shared memory. The same for every instruction set of the host. Layout of the Instr:
// lower_warpgroup.hpp
#pragma once

#include <array>
#include <cstddef>

#include "bankshot/simt/control/warpgroup.hpp"
#include "bankshot/simt/matrices/shared_operand.hpp"
#include "bankshot/simt/matrices/warpgroup_form.hpp"

namespace bankshot::simt {

struct WarpgroupOperands {
  /// As fetch_operand() gives them. A: only if it is in shared memory.
  alignas(64) std::array<std::byte, WarpgroupForm::kM * WarpgroupForm::kDepth> a;
  alignas(64) std::array<std::byte, 2 * WarpgroupForm::kMostN * WarpgroupForm::kDepth> b;
  bool accumulates = false;  ///< scale-d
};

/// Checks that all threads of the warpgroup agree, reads the operands, and counts the wavefronts at the site.
/// @return false after a fault
bool fetch_operands(const Warpgroup& group, const Instr* i, const WarpgroupForm& form, WarpgroupOperands& to);

}  // namespace bankshot::simt
