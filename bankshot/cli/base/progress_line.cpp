#include "bankshot/cli/base/progress_line.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace bankshot::cli {

void ProgressLine::operator()(size_t done, size_t all, std::string_view what) {
  if (!what_.empty() && what_ != what) start_ = std::chrono::steady_clock::now();
  what_ = what;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  const double left = passed.count() / static_cast<double>(done) * static_cast<double>(all - done);
  fmt::print(stderr, "\r{} of {} {}, {:.0f} s left\033[K", done, all, what, left);
}

void ProgressLine::erase() { std::fputs("\r\033[K", stderr); }

}  // namespace bankshot::cli
