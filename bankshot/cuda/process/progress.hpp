// Launches that take long: one line on the terminal that goes away at their end, or lines of a log; and what helps.
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

/// What makes a launch quicker that takes minutes.
struct Remedies {
  unsigned threads = 0;  ///< that were asked for; 0: all cores
  unsigned cores = 1;
  std::string quicker;  ///< an option of the command, with what it does; may be empty
};

/// "bankshot: this launch takes about 14 min; to shorten it: use a smaller problem, --threads 16 (now 1), --sample
/// (…)", without a newline. @param progress  its time is estimated as in progress_text(); before a CTA is done it is at
/// least `seconds`
/// @return empty if it takes a minute at most
std::string slow_text(const simt::LaunchProgress& progress, double seconds, const Remedies& remedies);

/// When there is something to write about launches of a process.
class ProgressTimes {
 public:
  using Time = std::chrono::steady_clock::duration;  ///< since any fixed point
  /// @param first  after the begin of a launch @param apart  at least @param doubles  that, after each but the first
  ProgressTimes(Time first, Time apart, bool doubles) : first_(first), apart_(apart), doubles_(doubles) {}
  /// Whether something is due now; it is written then. @param began  the running launch
  bool due(Time began, Time now);

 private:
  Time first_, apart_;
  bool doubles_;
  std::optional<Time> written_;
};

/// Shows the running launch on a separate thread, which the first launch starts. Once in a process it says what makes a
/// launch quicker that takes more than a minute. Lives as long as the process.
class Progress {
 public:
  enum class Style : uint8_t {
    terminal,   ///< one line, five times a second, after one second; needs a terminal that understands cursor movements
    lines,      ///< whole lines, at least five seconds apart, after one second
    few_lines,  ///< whole lines after 10, 20, 40 … seconds
  };
  /// The style for standard error. @param asked  many lines are wanted if it is not such a terminal
  static Style style(bool asked);
  static ProgressTimes times(Style style);

  /// @param threads, quicker  see Remedies
  Progress(Style style, unsigned threads, std::string quicker);
  void begin(std::string_view kernel, uint64_t ctas);
  /// EngineOptions::progress; erases the line when all CTAs are done.
  void update(const simt::LaunchProgress& progress);
  /// ChipOptions::progress.
  void update(const timing::ChipProgress& progress);
  /// The launch has ended, wherever: erases the line.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  void start_watching();
  void watch();
  void show();
  void draw(const std::string& text);
  void erase();

  const Style style_;
  const Remedies remedies_;
  std::atomic<uint64_t> done_{0}, ctas_{0}, warp_instructions_{0};
  std::atomic<bool> parallel_{true};
  std::mutex mutex_;  ///< guards what follows
  std::optional<timing::ChipProgress> simulated_;
  bool watching_ = false, running_ = false, shown_ = false, remedies_told_ = false;
  std::string kernel_;
  ProgressTimes times_;
  Clock::time_point start_{};
};

}  // namespace bankshot::cuda
