// One launch: the workers, the order of CTAs, the merge of what they counted.
#pragma once

#include <deque>
#include <memory>

#include "bankshot/simt/cta.hpp"
#include "bankshot/support/thread_pool.hpp"

namespace bankshot::simt {

/// Kept from launch to launch: threads, and storage for CTAs.
struct LaunchResources {
  ThreadPool pool;
  std::deque<std::deque<CtaSlot>> slots;  ///< by worker
};

struct LaunchSetup {
  const EngineOptions* options = nullptr;
  LoadedProgram* program = nullptr;
  Memory* memory = nullptr;
  Windows windows;
  const LaunchConfig* config = nullptr;
  const KernelInfo* kernel = nullptr;
  uint32_t function = 0;
  const std::byte* params = nullptr;
};

Result<LaunchStats, Fault> run_launch(const LaunchSetup& setup, LaunchResources& resources);

}  // namespace bankshot::simt
