// Instructions that PTX has and machines do in a sequence: quotients, roots, approximations that keep subnormals; and
// those that are short, but have another latency than their class.
#pragma once

#include <cstdint>

#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

/// Counted on the path that is usual: no subnormal or infinite operand, no quotient that overflows.
/// Source: what ptxas 13.0 makes of one such instruction for sm_75, sm_80 and sm_90.
struct Sequence {
  uint8_t slots = 0;  ///< its machine instructions; 0: the instruction is no sequence
  uint8_t chain =
      0;  ///< those that wait for one another, but for `special`; a branch that is taken or a call counts as two
  uint8_t special = 0;    ///< approximations of the special function unit among those that wait
  bool converts = false;  ///< an integer to or from floating point: one instruction of the special function unit
};
Sequence sequence_of(const ptx::Instruction& instruction);

}  // namespace bankshot::optimise
