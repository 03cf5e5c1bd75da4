// Limits a program may set, such as the stack of a thread. Kept and told back; the engine's stack grows to its own
// limit.
#pragma once

#include <cstddef>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/process/session.hpp"

namespace bankshot::cuda {

/// @param limit  cudaLimit and CUlimit, which share their numbers
/// @return success or unsupported_limit
Status set_limit(Session& session, int limit, size_t value);
/// @return success, invalid_value or unsupported_limit
Status get_limit(Session& session, int limit, size_t* value);

}  // namespace bankshot::cuda
