// Host threads that wait for work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bankshot {

#ifdef __wasi__

/// WebAssembly in a browser (bankshot/browser) has no threads: the caller does everything.
class ThreadPool {
 public:
  unsigned prepare(unsigned) { return 1; }
  void run(unsigned n, const std::function<void(unsigned)>& work) {
    for (unsigned k = 0; k < n; ++k) work(k);
  }
  void run_independent(unsigned n, const std::function<void(unsigned)>& work) { run(n, work); }
};

#else

/// `run(n, work)` calls work(0) … work(n-1), each on a thread of its own, work(0) on the caller's, and returns when all
/// are done. Threads are made on first need and kept; where the host gives no more, the caller does their share.
class ThreadPool {
 public:
  ThreadPool() = default;
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Makes threads for run(n, …). @return how many it would really run at once, at most n: work that waits for each
  /// other must not be more
  unsigned prepare(unsigned n);
  /// An exception that leaves `work` ends the process: other parts may wait for that one for ever.
  void run(unsigned n, const std::function<void(unsigned)>& work);
  /// The same for parts that do not wait for each other: the first exception is thrown here when all are done.
  void run_independent(unsigned n, const std::function<void(unsigned)>& work);

 private:
  void serve(unsigned index);
  void add_thread();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, finished_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned wanted_ = 0, running_ = 0;
  uint64_t round_ = 0;
  bool stop_ = false, exhausted_ = false;
};

#endif

}  // namespace bankshot
