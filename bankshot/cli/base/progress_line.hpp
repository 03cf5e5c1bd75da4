// The progress line of a long command on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace bankshot::cli {

/// "12 of 340 benchmarks, 25 s left"
class ProgressLine {
 public:
  /// Writes it to standard error, over what it wrote before. The time restarts when `what` changes. @param done  at
  /// least one
  void operator()(size_t done, size_t all, std::string_view what);
  static void erase();

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string what_;
};

}  // namespace bankshot::cli
