// Which registers hold values that a thread still needs.
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
  /// What an instruction reads it reads before it writes.
  bool write = false;
  bool guarded = false;  ///< a write that may leave the old value
};

struct Liveness {
  std::vector<uint32_t> at_entry;  ///< registers whose value at the function's entry some thread may read, ascending
  /// By block: registers whose value behind it some thread may read, and that some path to there has written.
  std::vector<std::vector<uint32_t>> behind;
  std::vector<char> begins;  ///< by use: a guarded write before which nobody can have written the register
};

/// @param blocks     blocks_of() the function's nodes
/// @param uses       sorted by node; of one node, reads before writes
/// @param registers  one more than the highest register
/// The time is that of the answer: what is live between blocks, in all.
Liveness liveness(const Blocks& blocks, const std::vector<RegisterUse>& uses, uint32_t registers);

}  // namespace bankshot::simt
