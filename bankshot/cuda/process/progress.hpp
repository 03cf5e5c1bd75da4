// Launches that take long: one line on the terminal that goes away at their end, or lines of a log.
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

/// "bankshot: 312 of 1024 CTAs in 12 s, 1.93 M instr/s, 27 s left, transpose(float*)", without a newline and at most 78
/// columns wide. Instructions are those of warps. The time left is estimated from the CTAs that are done and is missing
/// before the first one is. @param kernel  mangled
std::string progress_text(std::string_view kernel, const simt::LaunchProgress& progress, double seconds);

/// The same of a simulated launch: "bankshot: 312 of 1024 CTAs, 1.2 M cycles, 1.93 M instr/s, 34 s left, transpose…".
std::string progress_text(std::string_view kernel, const timing::ChipProgress& progress, double seconds);

/// Shows the running launch after its first second, on a separate thread, which the first launch starts. Lives as long
/// as the process.
class Progress {
 public:
  enum class Style : uint8_t {
    terminal,  ///< one line, five times a second; needs a terminal that understands cursor movements
    lines,     ///< whole lines, at least five seconds apart
  };
  /// The style for standard error. @param asked  lines are wanted if it is not such a terminal
  /// @return none: show no progress
  static std::optional<Style> style(bool asked);

  explicit Progress(Style style) : style_(style) {}
  void begin(std::string_view kernel, uint64_t ctas);
  /// EngineOptions::progress; erases the line when all CTAs are done.
  void update(const simt::LaunchProgress& progress);
  /// ChipOptions::progress.
  void update(const timing::ChipProgress& progress);
  /// The launch has ended, wherever: erases the line.
  void end();

 private:
  void start_watching();
  void watch();
  void draw();
  void erase();

  const Style style_;
  std::atomic<uint64_t> done_{0}, warp_instructions_{0};
  std::mutex mutex_;  ///< guards what follows
  std::optional<timing::ChipProgress> simulated_;
  bool watching_ = false, running_ = false, shown_ = false;
  std::string kernel_;
  uint64_t ctas_ = 0;
  std::chrono::steady_clock::time_point start_{};
  std::chrono::steady_clock::time_point written_{};  ///< the last whole line
};

}  // namespace bankshot::cuda
