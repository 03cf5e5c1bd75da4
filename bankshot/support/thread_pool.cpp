#include "bankshot/support/thread_pool.hpp"

namespace bankshot {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(unsigned n, const std::function<void(unsigned)>& work) {
  if (n > 1) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    wanted_ = n;
    running_ = n - 1;
    ++round_;
    while (threads_.size() + 1 < n) {
      const auto index = static_cast<unsigned>(threads_.size()) + 1;
      threads_.emplace_back([this, index] { serve(index); });
    }
  }
  if (n > 1) start_.notify_all();
  work(0);
  if (n > 1) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return running_ == 0; });
  }
}

void ThreadPool::serve(unsigned index) {
  uint64_t seen = 0;
  for (;;) {
    const std::function<void(unsigned)>* work = nullptr;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stop_ || (round_ != seen && running_ > 0); });
      if (stop_) return;
      seen = round_;
      if (index >= wanted_) continue;
      work = work_;
    }
    (*work)(index);
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) finished_.notify_one();
  }
}

}  // namespace bankshot
