#include "bankshot/cuda/process/progress.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cuda {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kEvery = 200ms, kEveryLine = 1s;  // that the watching thread looks
constexpr double kEstimable = 5, kSlow = 60;  // seconds: a launch whose time can be estimated; one that takes long
constexpr size_t kColumns = 78;

/// The text stands where the program left the cursor, and the cursor stays there: what the program writes next comes
/// where it would have come. No wrapping, or the line could not be erased. Source: ECMA-48 (EL), DEC VT510 (DECSC,
/// DECAWM)
constexpr const char* kBefore = "\0337\033[?7l";
constexpr const char* kAfter = "\033[K\033[?7h\0338";
constexpr const char* kErase = "\033[K";

void write_to_standard_error(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string fitted(std::string text) {
  if (text.size() > kColumns) text = text.substr(0, kColumns - 3) + "...";
  return text;
}

/// "912", "1.20 M"
std::string short_number(double number) {
  if (number >= 1e9) return fmt::format("{:.2f} G", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.2f} M", number / 1e6);
  if (number >= 1e3) return fmt::format("{:.1f} k", number / 1e3);
  return fmt::format("{:.0f}", number);
}

/// "27 s", "14 min", "3.5 h"
std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// Seconds that all CTAs take if `done` of them took `seconds`. @param done  not 0
double estimated(uint64_t done, uint64_t ctas, double seconds) {
  return seconds * static_cast<double>(ctas) / static_cast<double>(done);
}

/// "1.93 M instr/s, 27 s left, "
std::string rate_text(uint64_t done, uint64_t ctas, uint64_t warp_instructions, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(warp_instructions) / seconds : 0;
  std::string text = short_number(rate) + " instr/s, ";
  if (done != 0) text += time_text(estimated(done, ctas, seconds) - seconds) + " left, ";
  return text;
}

}  // namespace

std::string progress_text(std::string_view kernel, const simt::LaunchProgress& progress, double seconds) {
  return fitted(fmt::format(
      "bankshot: {} of {} CTAs in {} s, {}{}", progress.ctas_done, progress.ctas, static_cast<uint64_t>(seconds),
      rate_text(progress.ctas_done, progress.ctas, progress.warp_instructions, seconds), report::demangle(kernel)));
}

std::string progress_text(std::string_view kernel, const timing::ChipProgress& progress, double seconds) {
  return fitted(fmt::format("bankshot: {} of {} CTAs, {} cycles, {}{}", progress.ctas_done, progress.ctas,
                            short_number(static_cast<double>(progress.cycles)),
                            rate_text(progress.ctas_done, progress.ctas, progress.warp_instructions, seconds),
                            report::demangle(kernel)));
}

std::string slow_text(const simt::LaunchProgress& progress, double seconds, const Remedies& remedies) {
  const bool known = progress.ctas_done != 0;
  const double all = known ? estimated(progress.ctas_done, progress.ctas, seconds) : seconds;
  if (all <= kSlow) return {};
  std::string text = fmt::format("bankshot: this launch takes {} {}; to shorten it: use a smaller problem",
                                 known ? "about" : "more than", time_text(all));
  if (progress.parallel && remedies.threads != 0 && remedies.threads < remedies.cores)
    text += fmt::format(", --threads {} (now {})", remedies.cores, remedies.threads);
  return text + (remedies.quicker.empty() ? "" : ", " + remedies.quicker);
}

Progress::Style Progress::style(bool asked) {
  const char* terminal = std::getenv("TERM");
  if (isatty(STDERR_FILENO) != 0 && terminal && *terminal && std::strcmp(terminal, "dumb") != 0) return Style::terminal;
  return asked ? Style::lines : Style::few_lines;
}

ProgressTimes Progress::times(Style style) {
  switch (style) {
    case Style::terminal: return {1s, 0s, false};
    case Style::lines: return {1s, 5s, false};
    case Style::few_lines: break;
  }
  return {10s, 10s, true};
}

bool ProgressTimes::due(Time began, Time now) {
  if (now - began < first_ || (written_ && now - *written_ < apart_)) return false;
  if (doubles_ && written_) apart_ *= 2;
  written_ = now;
  return true;
}

Progress::Progress(Style style, unsigned threads, std::string quicker)
    : style_(style),
      remedies_{threads, std::thread::hardware_concurrency(), std::move(quicker)},
      times_(times(style)) {}

void Progress::begin(std::string_view kernel, uint64_t ctas) {
  const std::lock_guard lock(mutex_);
  done_ = warp_instructions_ = 0;
  ctas_ = ctas;
  parallel_ = true;
  simulated_.reset();
  kernel_ = kernel;
  start_ = Clock::now();
  running_ = true;
  if (!watching_) start_watching();
}

void Progress::start_watching() {
  watching_ = true;
  // Signals are the program's: none may arrive on a thread that it knows nothing of.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { watch(); }).detach();
  } catch (const std::system_error&) {
    // The host has no thread left: the launch goes on without the line.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Progress::update(const simt::LaunchProgress& progress) {
  done_.store(progress.ctas_done, std::memory_order_relaxed);
  ctas_.store(progress.ctas, std::memory_order_relaxed);
  warp_instructions_.store(progress.warp_instructions, std::memory_order_relaxed);
  parallel_.store(progress.parallel, std::memory_order_relaxed);
  if (progress.ctas_done >= progress.ctas) end();
}

void Progress::update(const timing::ChipProgress& progress) {
  const std::lock_guard lock(mutex_);
  simulated_ = progress;
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  running_ = false;
  erase();
}

void Progress::watch() {
  for (;;) {
    std::this_thread::sleep_for(style_ == Style::terminal ? kEvery : kEveryLine);
    const std::lock_guard lock(mutex_);
    if (running_) show();
  }
}

void Progress::show() {
  const auto now = Clock::now();
  if (style_ == Style::terminal && isatty(STDERR_FILENO) == 0) return;  // the program may have redirected it since
  if (!times_.due(start_.time_since_epoch(), now.time_since_epoch())) return;
  const double taken = std::chrono::duration<double>(now - start_).count();
  simt::LaunchProgress progress{done_, ctas_, warp_instructions_, parallel_};
  if (simulated_) progress = {simulated_->ctas_done, simulated_->ctas, simulated_->warp_instructions};
  draw(simulated_ ? progress_text(kernel_, *simulated_, taken) : progress_text(kernel_, progress, taken));
  if (remedies_told_ || taken < kEstimable) return;
  const std::string slow = slow_text(progress, taken, remedies_);
  if (slow.empty()) return;
  remedies_told_ = true;
  erase();
  write_to_standard_error(slow + "\n");
}

void Progress::draw(const std::string& text) {
  if (style_ != Style::terminal) {
    write_to_standard_error(text + "\n");
    return;
  }
  write_to_standard_error(kBefore + text + kAfter);
  shown_ = true;
}

void Progress::erase() {
  if (shown_ && isatty(STDERR_FILENO) != 0) write_to_standard_error(kErase);
  shown_ = false;
}

}  // namespace bankshot::cuda
