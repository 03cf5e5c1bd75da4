// Where a program's time goes, for bench/run: loaded before it (LD_PRELOAD), it notes down every millisecond of
// processor time what is being executed, and writes "FILE OFFSET COUNT" lines to $BENCH_SAMPLES when the process ends;
// no file where it does not know how the processor says what it executes.
#include <dlfcn.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace {

constexpr size_t kMost = 1 << 20;
std::atomic<uint64_t> places[kMost];
std::atomic<size_t> taken{0};

/// The address of what a thread was executing when the signal came.
#if defined(__x86_64__)
constexpr bool kKnown = true;
uint64_t place_of(const ucontext_t& context) { return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]); }
#elif defined(__aarch64__)
constexpr bool kKnown = true;
uint64_t place_of(const ucontext_t& context) { return context.uc_mcontext.pc; }
#else
constexpr bool kKnown = false;
uint64_t place_of(const ucontext_t&) { return 0; }
#endif

void sample(int, siginfo_t*, void* context) {
  const size_t k = taken.fetch_add(1, std::memory_order_relaxed);
  if (k < kMost) places[k] = place_of(*static_cast<const ucontext_t*>(context));
}

void set_timer(long microseconds) {
  const itimerval every{{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_PROF, &every, nullptr);
}

__attribute__((constructor)) void begin() {
  if (!kKnown || std::getenv("BENCH_SAMPLES") == nullptr) return;
  struct sigaction action = {};
  action.sa_sigaction = sample;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  set_timer(1000);
}

__attribute__((destructor)) void end() {
  const char* const path = std::getenv("BENCH_SAMPLES");
  if (!kKnown || path == nullptr) return;
  set_timer(0);
  std::map<uint64_t, uint64_t> counts;
  const size_t count = taken < kMost ? taken.load() : kMost;
  for (size_t k = 0; k < count; ++k) ++counts[places[k]];
  FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return;
  for (const auto& [place, times] : counts) {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(place), &info) == 0) continue;
    std::fprintf(file, "%s %#lx %lu\n", info.dli_fname, place - reinterpret_cast<uint64_t>(info.dli_fbase), times);
  }
  std::fclose(file);
}

}  // namespace
