#include "bankshot/support/thread_pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <system_error>

namespace bankshot {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

/// Signals are the program's: none may arrive on a thread that it knows nothing of.
void ThreadPool::add_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto index = static_cast<unsigned>(threads_.size()) + 1;
  try {
    threads_.emplace_back([this, index] { serve(index); });
  } catch (const std::system_error&) {
    exhausted_ = true;  // the host has no more: the caller does their share
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

unsigned ThreadPool::prepare(unsigned n) {
  const std::lock_guard lock(mutex_);
  while (threads_.size() + 1 < n && !exhausted_) add_thread();
  return std::min(n, static_cast<unsigned>(threads_.size()) + 1);
}

void ThreadPool::run(unsigned n, const std::function<void(unsigned)>& work) {
  unsigned here = 1;  // threads that take part, the caller's included
  if (n > 1) {
    here = prepare(n);
    const std::lock_guard lock(mutex_);
    work_ = &work;
    wanted_ = here;
    running_ = here - 1;
    ++round_;
  }
  if (here > 1) start_.notify_all();
  work(0);
  for (unsigned k = here; k < n; ++k) work(k);
  if (here > 1) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return running_ == 0; });
  }
}

void ThreadPool::run_independent(unsigned n, const std::function<void(unsigned)>& work) {
  std::exception_ptr failure;
  std::mutex mutex;
  run(n, [&](unsigned k) {
    try {
      work(k);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (failure == nullptr) failure = std::current_exception();
    }
  });
  if (failure != nullptr) std::rethrow_exception(failure);
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
