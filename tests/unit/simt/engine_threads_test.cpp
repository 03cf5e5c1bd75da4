// Engines of several threads do not disturb each other.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "bankshot/simt/run/engine.hpp"

namespace bankshot::simt {
namespace {

/// Of a host's instruction set. Says something in a process that has loaded nothing for it before, as each test of
/// ctest runs in.
void load_at_the_same_time(const char* isa) {
  constexpr int kThreads = 8;
  std::atomic<int> ready{0}, loaded{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&] {
      EngineOptions options;
      options.isa = isa;
      options.threads = 1;
      Engine engine(options);
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      const auto program = engine.load(
          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .b32 %r<2>; .reg .pred %p;\n"
          "mov.u32 %r0, %tid.x; setp.eq.u32 %p, %r0, 0; @%p bra LAST; add.u32 %r1, %r0, 1; LAST: ret; }\n",
          "kernel.ptx");
      if (program) ++loaded;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(loaded, kThreads) << isa;
}

TEST(EngineThreads, load_their_first_modules_at_the_same_time) {
  for (const char* isa : {"portable", "avx2", "avx512"}) load_at_the_same_time(isa);
}

}  // namespace
}  // namespace bankshot::simt
