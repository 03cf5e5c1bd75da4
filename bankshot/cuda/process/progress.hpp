// What a terminal shows of a launch that takes long: one line on standard error that goes away at its end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "bankshot/timing/chip/chip.hpp"

namespace bankshot::cuda {

/// "bankshot: 312 of 1024 CTAs in 12 s, void transpose<32>(float const*, float*, int)", without a newline and at most
/// 78 columns wide. @param kernel  mangled
std::string progress_text(std::string_view kernel, uint64_t done, uint64_t ctas, uint64_t seconds);

/// Of a simulated launch: "bankshot: 312 of 1024 CTAs, 1.2 M cycles, 1.93 M instr/s, 34 s left, transpose…".
/// Instructions are those of warps; what is left is estimated from the CTAs that are done, and is not said before one
/// is.
std::string progress_text(std::string_view kernel, const timing::ChipProgress& progress, double seconds);

/// Shows the running launch from its second second on, five times a second, on a thread of its own, which the first
/// launch starts. Lives as long as the process.
class Progress {
 public:
  /// Whether standard error is a terminal that understands cursor movements; without, nobody should make a Progress.
  static bool wanted();

  void begin(std::string_view kernel, uint64_t ctas);
  /// EngineOptions::progress; erases the line when all CTAs are done.
  void update(uint64_t done, uint64_t ctas);
  /// ChipOptions::progress.
  void update(const timing::ChipProgress& progress);
  /// The launch has ended, wherever: erases the line.
  void end();

 private:
  void start_watching();
  void watch();
  void draw();
  void erase();

  std::atomic<uint64_t> done_{0};
  std::mutex mutex_;  ///< guards what follows
  std::optional<timing::ChipProgress> simulated_;
  bool watching_ = false, running_ = false, shown_ = false;
  std::string kernel_;
  uint64_t ctas_ = 0;
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace bankshot::cuda
