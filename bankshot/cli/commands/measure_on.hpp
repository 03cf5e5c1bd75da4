// The device that `bankshot fix` times launches on: a real GPU, a simulated one, or none.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/measure/driver.hpp"
#include "bankshot/measure/runner.hpp"

namespace bankshot::cli {

class MeasureOn {
 public:
  void define(CLI::App& app);
  bool is_given() const;
  /// Options that contradict each other, or empty.
  std::string problem() const;
  /// Null if no option asks for a device. @param simulated  the GPU of --backend simulate
  Result<std::unique_ptr<measure::Runner>> open(const gpu::Gpu& simulated, unsigned threads) const;

 private:
  std::string backend_ = "cuda", driver_ = measure::kDriverLibrary;
  int device_ = 0;
  const CLI::Option *backend_option_ = nullptr, *driver_option_ = nullptr, *device_option_ = nullptr;
};

}  // namespace bankshot::cli
