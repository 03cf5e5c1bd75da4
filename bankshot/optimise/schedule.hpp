// The order in which ptxas would put the instructions of one stretch of code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bankshot/optimise/liveness.hpp"
#include "bankshot/optimise/values.hpp"

namespace bankshot::optimise {

/// Steps of one basic block that follow each other in the text, with nothing but `.loc` between them.
struct Stretch {
  size_t first = 0, size = 0;
};

/// What others wait for longest comes first, as far as registers allow. Every instruction keeps what it reads, writes
/// and may not pass.
/// @param slots      by step: machine_slots()
/// @param live       registers that are needed behind the stretch
/// @param registers  32-bit registers in use at once, beyond which nothing that needs more is put earlier
/// @return           the steps in their new order
std::vector<size_t> schedule(const ptx::KernelCode& code, const Values& values, const std::vector<uint8_t>& slots,
                             const Stretch& stretch, const LiveSet& live, unsigned registers);

}  // namespace bankshot::optimise
