// Execution classes, by what an instruction occupies.
#pragma once

#include <cstdint>

namespace bankshot::simt {

/// What executes an instruction; how long that takes is the GPU file's. Control flow comes last: is_control().
enum class Unit : uint8_t {
  alu,
  multiply,  ///< integer products
  fp16,      ///< half precision, also of pairs
  fp32,
  fp64,
  sfu,     ///< approximations, and counting, finding or reversing bits
  warp,    ///< exchanges between the lanes of a warp
  tensor,  ///< products of matrices
  memory,
  branch,
  call,
  ret,  ///< of a kernel: its end
  exit,
  barrier,
  warpgroup,  ///< a product of matrices by four warps, which meet there
  fence,
  sleep,
  tx_begin,
  tx_commit,
  control,  ///< what takes an issue slot and no more
};

inline bool is_control(Unit unit) { return unit >= Unit::branch; }

}  // namespace bankshot::simt
