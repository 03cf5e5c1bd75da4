// Registers that may be read before they were written.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/ptx/flow.hpp"

namespace bankshot::simt {

using ptx::Blocks;
using ptx::FlowNode;
using ptx::kNoJoin;

/// One use of a register by an instruction, in the order of the nodes.
struct RegisterUse {
  uint32_t node = 0;
  uint32_t reg = 0;
  /// What an instruction reads it reads before it writes. A write under a guard may leave the old value: no write here.
  bool write = false;
};

/// The registers whose value at the function's entry some thread may read, in ascending order.
/// @param uses       sorted by node; of one node, reads before writes
/// @param registers  one more than the highest register
std::vector<uint32_t> live_at_entry(const std::vector<FlowNode>& nodes, const std::vector<RegisterUse>& uses,
                                    uint32_t registers);

}  // namespace bankshot::simt
