// How many registers a thread needs. PTX has as many as it likes, each written in one place; a compiler lets values
// share registers that are not needed at the same time. This is what it needs if it keeps the order of the
// instructions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/simt/decode/liveness.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {

struct Pressure {
  uint32_t most = 0;             ///< of all nodes
  std::vector<uint32_t> around;  ///< by node: words in use before or behind it, whichever is more
};

/// How many 32-bit words of registers are in use at once. @param words  by register: 0, 1 or 2
Pressure pressure(const Blocks& blocks, const std::vector<RegisterUse>& uses, const Liveness& live,
                  std::span<const uint8_t> words);

/// Registers a thread of this kernel needs: FunctionInfo::live_registers, and at a call what is in use around it and
/// what its callee needs (of an indirect one: of those there are, what the neediest needs). A function that calls
/// itself is counted once.
uint32_t register_need(const LoadedProgram& program, uint32_t function);

}  // namespace bankshot::simt
