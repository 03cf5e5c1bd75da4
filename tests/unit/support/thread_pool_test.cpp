#include "bankshot/support/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace bankshot {
namespace {

TEST(ThreadPool, an_exception_of_one_part_is_thrown_when_all_are_done) {
  ThreadPool pool;
  std::atomic<unsigned> done = 0;
  const auto work = [&](unsigned k) {
    ++done;
    if (k == 1) throw std::runtime_error("one of four");
  };
  try {
    pool.run_independent(4, work);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "one of four");
  }
  EXPECT_EQ(done, 4u);
  done = 0;
  pool.run_independent(4, [&](unsigned) { ++done; });  // the pool is as good as before
  EXPECT_EQ(done, 4u);
}

}  // namespace
}  // namespace bankshot
