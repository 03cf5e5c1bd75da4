// Where the shared variables of a kernel lie.
#pragma once

#include <cstdint>
#include <map>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// Bytes from the start of shared memory, of every .shared variable that the kernel can see, as the engine places them:
/// the module's, those of functions if the kernel calls any, the kernel's own, and behind them dynamic memory.
std::map<const Variable*, uint32_t> shared_offsets(const Module& module, const Function& kernel);

}  // namespace bankshot::ptx
