// Structural equality of modules.
#pragma once

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// Equal in everything but the positions in the text.
bool same(const Module& a, const Module& b);
bool same(const Instruction& a, const Instruction& b);
bool same(const Operand& a, const Operand& b);
bool same(const Variable& a, const Variable& b);

}  // namespace bankshot::ptx
