// The checks of `bankshot check` in this process.
#pragma once

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/simt/checks/checks.hpp"

namespace bankshot::cuda {

/// Null unless the request names some. Always the same object: findings outlive a reset.
simt::Checks* checks();

/// Where an allocation was made, for leaks: to be called when it is, and when it is freed.
void note_allocation(const simt::Allocation& allocation);
void note_free(const simt::Allocation& allocation);
/// Reports allocations that were not freed, and forgets them: the process ends, or the device is reset.
/// @param corrupted  unless it is success, the program could not free anything, and nothing is reported
void tell_leaks(Status corrupted);

}  // namespace bankshot::cuda
