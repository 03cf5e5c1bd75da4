// How many machine instructions ptxas makes of each instruction of a kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/ptx/kernel_code.hpp"

namespace bankshot::optimise {

/// By step: issue slots that its machine code takes. 0: it becomes part of another instruction (an operand, the offset
/// of an address, one side of a multiply-add); instructions that have none keep that. More than 1: the machine does it
/// in pieces, as 64-bit additions. Source: what ptxas 13.0 makes of small kernels; docs/simulate.md has the rules and
/// how well they hold.
std::vector<uint8_t> machine_slots(const ptx::KernelCode& code);
/// By step: whether it is the addition of a product that it makes itself (IMAD), on the multiplier.
/// @param slots  machine_slots()
std::vector<bool> additions_of_products(const ptx::KernelCode& code, const std::vector<uint8_t>& slots);
/// The same before two instructions become one (IADD3, LOP3, IMAD).
std::vector<uint8_t> slots_one_by_one(const ptx::KernelCode& code);

}  // namespace bankshot::optimise
