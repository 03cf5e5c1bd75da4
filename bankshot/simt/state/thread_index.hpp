// The position of a thread of a CTA in its block.
#pragma once

#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// %tid of the thread of a number, x fastest.
inline Dim3 thread_at(const Dim3& block, uint32_t number) {
  return {number % block.x, number / block.x % block.y, number / block.x / block.y};
}
/// … of a lane of a warp.
inline Dim3 thread_of(const Warp& w, unsigned lane) {
  return thread_at(w.worker->launch->config->block, w.index * w.worker->warp_size + lane);
}

}  // namespace bankshot::simt
