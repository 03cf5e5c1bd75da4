// Where kernels are measured: a real GPU behind NVIDIA's driver, or a simulated one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bankshot/simt/state/fault.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::measure {

/// The GPU as its runner knows it.
struct Device {
  std::string name;
  unsigned major = 0, minor = 0;  ///< compute capability
  std::string driver;             ///< "CUDA driver 13.0"; of a simulated GPU its description
  uint32_t clock_khz = 0;         ///< highest clock of the SMs
  uint32_t shared_bytes = 0;      ///< shared memory that a block gets without asking for more
  uint32_t max_threads = 0;       ///< of a block
  /// Runner::elapsed_ns() is exact. That of a driver has what a launch costs, and steps of half a microsecond.
  bool exact_time = false;
  /// Cycles in which schedulers issue, by tick of %clock: Fermi computes, and counts, at twice the clock of its
  /// schedulers.
  double issue_cycles_by_tick = 1;
  /// What it says of itself, by key of a description ("gpu.sms"), as such a file has it ("132").
  std::map<std::string, std::string> facts;
};

/// A kernel and its grid.
struct Launch {
  std::string_view kernel;
  simt::Dim3 block = {32, 1, 1};
  uint32_t shared_bytes = 0;             ///< dynamic shared memory
  std::span<const std::byte> arguments;  ///< as the kernel declares its parameters
  simt::Dim3 grid = {};
};

/// A variable of the loaded module in the device's memory.
struct Variable {
  uint64_t address = 0, bytes = 0;
};

/// One device. Errors are sentences with reason and remedy. Memory that was not released goes with the runner.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual const Device& device() const = 0;

  /// Compiles a module; its kernels can be launched from then on, those of the one before no more.
  virtual std::optional<Error> load(std::string_view ptx) = 0;
  /// @param name  as in the PTX
  virtual Result<Variable> variable(const std::string& name) = 0;
  virtual Result<uint64_t> allocate(uint64_t bytes) = 0;
  virtual void release(uint64_t address) = 0;
  virtual std::optional<Error> copy_in(uint64_t to, std::span<const std::byte> from) = 0;
  virtual std::optional<Error> copy_out(std::span<std::byte> to, uint64_t from) = 0;
  /// Comes back when the kernel has ended.
  virtual std::optional<Error> launch(const Launch& launch) = 0;
  /// Nanoseconds that the last launch took on the device, from its first block to its last; 0 before the first.
  virtual double elapsed_ns() const = 0;
};

}  // namespace bankshot::measure
