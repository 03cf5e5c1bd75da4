// The order in which ptxas puts the instructions of a basic block: what others wait for long comes early, loads first,
// as far as registers allow.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/optimise/values.hpp"
#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

/// What an order depends on in addition to the code.
struct OrderOptions {
  unsigned registers = 64;  ///< 32-bit registers in use at once, beyond which no load is put earlier
};

/// Changes the order of instructions within basic blocks. Every instruction keeps what it reads, writes and may not
/// pass: registers, memory that may be the same, barriers, other lanes. `.loc` directives follow.
/// @param function  the one that `code` is of; `code`, `control` and `values` are out of date afterwards
/// @param slots     by step: machine_slots()
void order(ptx::Function& function, const ptx::KernelCode& code, const Control& control, const Values& values,
           const std::vector<uint8_t>& slots, const OrderOptions& options);

}  // namespace bankshot::optimise
