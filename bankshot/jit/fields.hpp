// Where native code finds what it needs of a warp, its CTA and its worker.
#pragma once

#include <cstddef>

#include "bankshot/jit/values.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::jit {

#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of structures with members that have constructors
inline constexpr size_t kBase = offsetof(simt::Warp, base), kActive = offsetof(simt::Warp, active),
                        kWorker = offsetof(simt::Warp, worker), kCta = offsetof(simt::Warp, cta),
                        kSegment = offsetof(simt::Warp, segment), kLoops = offsetof(simt::Warp, loops),
                        kAwaited = offsetof(simt::Warp, awaited);
inline constexpr size_t kWarpInstructions = offsetof(simt::Worker, warp_instructions),
                        kThreadInstructions = offsetof(simt::Worker, thread_instructions),
                        kFp = offsetof(simt::Worker, fp);
inline constexpr size_t kShared = offsetof(simt::Cta, shared), kSharedBytes = offsetof(simt::Cta, shared_bytes),
                        kOwnWindow = offsetof(simt::Cta, own_window);
inline constexpr uint32_t kScratchRow = 8 * kLanes;

}  // namespace bankshot::jit
