// Execution units, by what an instruction occupies.
#pragma once

#include <cstdint>

namespace bankshot::simt {

/// Which execution unit an instruction occupies; latencies are the GPU file's.
enum class Unit : uint8_t { alu, fp32, fp64, sfu, memory, control, warp, matrix };

}  // namespace bankshot::simt
