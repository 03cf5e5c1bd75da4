// Module -> PTX text.
#pragma once

#include <string>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// Text that parses back to an equal module (positions apart).
std::string print(const Module& module);
/// One instruction without guard indentation or newline: `@%p1 add.s32 %r1, %r2, 4;`
std::string print(const Instruction& instruction);

}  // namespace bankshot::ptx
