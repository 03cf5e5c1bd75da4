// What a process shares between the runtime and the driver interface: the GPU, the engine, modules, streams, events.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/graphs/graph_exec.hpp"
#include "bankshot/cuda/graphs/streams.hpp"
#include "bankshot/cuda/memory/arrays.hpp"
#include "bankshot/cuda/memory/managed_ranges.hpp"
#include "bankshot/cuda/memory/pools.hpp"
#include "bankshot/cuda/memory/virtual_memory.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/cuda/process/progress.hpp"
#include "bankshot/cuda/process/report_file.hpp"
#include "bankshot/cuda/process/running_kernel.hpp"
#include "bankshot/cuda/process/simulation.hpp"
#include "bankshot/cuda/textures/texture_references.hpp"
#include "bankshot/cuda/textures/textures.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/simt/run/engine.hpp"

namespace bankshot::cuda {

/// One a process, made by its first call. Nothing is read, allocated or started before it is needed: registering the
/// fat binaries of a program that then only prints its usage costs nothing. Every member but mutex() requires the mutex
/// to be held.
class Session {
 public:
  /// Never destroyed: the program's static destructors may still call.
  static Session& get();

  std::mutex& mutex() { return mutex_; }

  /// Reads the description of the request's GPU.
  /// not_initialized if it is bad; told once.
  Status describe();
  bool is_described() const { return device_.has_value(); }
  const gpu::Gpu& gpu() const { return *gpu_; }          ///< after describe()
  const DeviceInfo& device() const { return *device_; }  ///< the same as programs are told it

  /// Makes the engine if there is none, and says whether the context is usable: success, the error of a kernel that
  /// failed before (until reset), or not_initialized.
  Status open();
  bool is_open() const { return engine_ != nullptr; }
  simt::Engine& engine() { return *engine_; }  ///< after open()
  simt::Memory& memory() { return engine_->memory(); }

  /// Null unless launches are simulated; after open().
  Simulation* simulation() { return simulation_.get(); }

  /// What events record: the host's clock; where launches are simulated, the time that they took at the core clock.
  std::chrono::steady_clock::time_point now() const;

  /// A kernel failed: every later call fails with `status` until reset().
  void corrupt(Status status) { corrupted_ = status; }
  Status corrupted() const { return corrupted_; }

  /// cudaDeviceReset: frees all memory, destroys streams and events; modules load again when used.
  /// @return not_permitted, and nothing happens, while a graph runs: one of its host functions asked for it, or another
  /// thread
  [[nodiscard]] Status reset();
  /// Graphs that run: where they call host functions, they have given up the lock.
  unsigned running_graphs = 0;

  /// Whether this process is a fork's child of the one that opened it, which open() refuses.
  bool is_forked() const;

  ModuleTable& modules() { return modules_; }
  StreamTable& streams() { return streams_; }
  EventTable& events() { return events_; }
  PoolTable& pools() { return pools_; }
  ArrayTable& arrays() { return arrays_; }
  TextureObjects& texture_objects() { return texture_objects_; }
  TextureReferences& texture_references() { return texture_references_; }
  GraphTable& graphs() { return graphs_; }
  GraphExecTable& graph_execs() { return graph_execs_; }
  CaptureTable& captures() { return captures_; }
  VirtualMemory& virtual_memory() { return virtual_memory_; }
  ManagedRanges& managed_ranges() { return managed_ranges_; }
  ReportFile& report() { return report_; }
  RunningKernel& running() { return running_; }
  /// Null where nobody could see it.
  Progress* progress() { return progress_.get(); }

  /// Flags a host allocation or registration was made with, by address; for cudaHostGetFlags.
  std::unordered_map<uint64_t, unsigned>& host_flags() { return host_flags_; }
  /// Values set by cudaDeviceSetLimit, by limit.
  std::unordered_map<int, size_t>& limits() { return limits_; }

 private:
  Session() = default;
  Status open_simulation(unsigned threads);

  std::mutex mutex_;
  std::optional<gpu::Gpu> gpu_;
  std::optional<DeviceInfo> device_;
  bool describe_failed_ = false;
  std::unique_ptr<simt::Engine> engine_;
  pid_t opened_by_ = 0;  ///< the process that made the engine
  Status corrupted_ = Status::success;
  ModuleTable modules_;
  StreamTable streams_;
  EventTable events_;
  PoolTable pools_;
  ArrayTable arrays_;
  TextureObjects texture_objects_;
  TextureReferences texture_references_;
  GraphTable graphs_;
  GraphExecTable graph_execs_;
  CaptureTable captures_;
  VirtualMemory virtual_memory_;
  ManagedRanges managed_ranges_;
  ReportFile report_;
  RunningKernel running_;
  std::unique_ptr<Progress> progress_;
  std::unique_ptr<Simulation> simulation_;
  std::unordered_map<uint64_t, unsigned> host_flags_;
  std::unordered_map<int, size_t> limits_;
};

}  // namespace bankshot::cuda
