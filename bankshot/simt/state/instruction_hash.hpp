// A bank hash that instructions have of their own, in place of the machine's: parameters in a load or store.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/patterns/region.hpp"

namespace bankshot::simt {

struct InstructionHash {
  scratchpad::Rules rules;               ///< the machine's, but for the hash
  scratchpad::WordRanges words;          ///< that the instructions access; any other word is a fault
  std::vector<uint32_t> ptx_lines = {};  ///< of the instructions
};

}  // namespace bankshot::simt
