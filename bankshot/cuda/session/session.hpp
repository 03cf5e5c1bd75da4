// The state that the runtime and the driver interface of a process share: GPU, engine, modules, memory, streams.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/device/limits.hpp"
#include "bankshot/cuda/graphs/work_tables.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/cuda/process/progress.hpp"
#include "bankshot/cuda/process/report_file.hpp"
#include "bankshot/cuda/process/running_kernel.hpp"
#include "bankshot/cuda/process/simulation.hpp"
#include "bankshot/cuda/textures/texture_references.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/simt/run/engine.hpp"

namespace bankshot::cuda {

/// One per process, made by the first call. Nothing is read, allocated or started before it is needed, so registering
/// the fat binaries of a program that then only prints its usage costs nothing. Hold mutex() for every other member.
class Session {
 public:
  /// Never destroyed: the program's static destructors may still call.
  static Session& get();

  std::mutex& mutex() { return mutex_; }

  // The GPU and its engine.

  /// Reads the description of the request's GPU, and opens the ledger of the reports.
  /// @return success, or not_initialized if the description is invalid or there is no ledger, which is reported once
  Status describe();
  bool is_described() const { return device_.has_value(); }
  const gpu::Gpu& gpu() const { return *gpu_; }          ///< after describe()
  const DeviceInfo& device() const { return *device_; }  ///< the same in the terms of the CUDA interfaces

  /// Makes the engine if there is none.
  /// @return success, the error of a kernel that failed before (until reset()), or not_initialized
  Status open();
  bool is_open() const { return engine_ != nullptr; }
  simt::Engine& engine() { return *engine_; }  ///< after open()

  /// Null unless launches are simulated; after open().
  Simulation* simulation() { return simulation_.get(); }

  /// What events record: the host's clock or, if launches are simulated, their time at the core clock.
  std::chrono::steady_clock::time_point now() const;

  /// A kernel failed: every later call fails with `status` until reset().
  void corrupt(Status status) { corrupted_ = status; }
  Status corrupted() const { return corrupted_; }

  /// cudaDeviceReset: frees all memory and destroys streams and events. Modules are loaded again when they are used.
  /// @return not_permitted, with nothing done, while a graph runs: one of its host functions, or another thread, calls
  [[nodiscard]] Status reset();

  /// Whether this process is a forked child of the one that opened the session. open() refuses then.
  bool is_forked() const;

  // What the program made. reset() removes it, except modules.

  ModuleTable& modules() { return modules_; }
  DeviceMemory& memory() { return memory_; }  ///< its engine() after open()
  WorkTables& work() { return work_; }
  TextureTables& textures() { return textures_; }
  Limits& limits() { return limits_; }

  // Arguments for functions of the rooms below; after open().

  LoadTarget load_target() { return {*engine_, *device_, gpu_->machine_code()}; }
  TextureContext texture_context() { return {*device_, memory_, engine_->textures()}; }

  // What the user sees of the process.

  ReportFile& report() { return report_; }
  RunningKernel& running() { return running_; }
  Progress& progress() { return *progress_; }  ///< after open()

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
  std::unique_ptr<Simulation> simulation_;

  ModuleTable modules_;
  DeviceMemory memory_;
  WorkTables work_;
  TextureTables textures_;
  Limits limits_;

  ReportFile report_;
  RunningKernel running_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace bankshot::cuda
