// The memory of the host that kernels may access without any call, on systems with unified memory.
#pragma once

#include <vector>

#include "bankshot/simt/memory/memory.hpp"

namespace bankshot::cuda {

/// What this process has mapped and can read now, by address, without the device's range. Source: proc(5),
/// /proc/self/maps. Empty if that cannot be read.
std::vector<simt::Allocation> mapped_host_memory(const simt::Memory& memory);

}  // namespace bankshot::cuda
