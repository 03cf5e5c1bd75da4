#include "bankshot/timing/chip/quanta.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace bankshot::timing {
namespace {

/// Runs some quanta of parts that count. @param late  parts during which their thread is held up, as on a busy host
void counts_each_part_once(unsigned threads, unsigned parts, unsigned rounds, unsigned late = ~0u) {
  ThreadPool pool;
  std::vector<std::atomic<unsigned>> done(parts);
  std::atomic<unsigned> inside{0};
  unsigned round = 0;
  run_quanta(
      pool, threads, parts,
      [&](unsigned k) {
        ++inside;
        if (k == late) std::this_thread::yield();
        ++done[k];
        --inside;
      },
      [&] {
        EXPECT_EQ(inside, 0u);
        ++round;
        for (const auto& one : done) EXPECT_EQ(one, round);
        return round != rounds;
      });
  EXPECT_EQ(round, rounds);
}

TEST(Quanta, each_part_runs_once_before_what_is_between) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) counts_each_part_once(threads, 11, 2000);
}

TEST(Quanta, there_may_be_fewer_parts_than_threads) { counts_each_part_once(4, 1, 500); }

TEST(Quanta, a_thread_that_is_held_up_in_a_part_is_waited_for) { counts_each_part_once(2, 4, 500, 3); }

/// Long enough that one thread is tried alone.
TEST(Quanta, parts_run_once_also_while_one_thread_works_alone) {
  ThreadPool pool;
  constexpr unsigned kParts = 6;
  std::vector<std::atomic<unsigned>> done(kParts);
  unsigned round = 0;
  const auto begin = std::chrono::steady_clock::now();
  run_quanta(
      pool, 3, kParts, [&](unsigned k) { ++done[k]; },
      [&] {
        ++round;
        for (const auto& one : done) EXPECT_EQ(one, round);
        return std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(120);
      });
  EXPECT_GT(round, 1u);
}

TEST(Quanta, they_end_when_between_says_so) {
  ThreadPool pool;
  unsigned parts = 0;
  run_quanta(pool, 1, 5, [&](unsigned) { ++parts; }, [] { return false; });
  EXPECT_EQ(parts, 5u);
}

}  // namespace
}  // namespace bankshot::timing
