// Registers of tensor instructions: how many depends on the shape of the matrices.
#pragma once

#include "bankshot/sass/bits.hpp"

namespace bankshot::sass {

void read_tensor(const Bits& bits, Operands& operands);

}  // namespace bankshot::sass
