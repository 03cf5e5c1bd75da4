// Worker processes on this machine. A worker is a process of its own, so that a point that kills it or hangs costs
// nothing but that point.
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "bankshot/sweep/engines/engine.hpp"

extern char** environ;

namespace bankshot::sweep {
namespace {

using Clock = std::chrono::steady_clock;

/// A number in a file of the system; the largest there is if it has none.
uint64_t number_in(const char* file) {
  uint64_t number = 0;
  return std::ifstream(file) >> number ? number : UINT64_MAX;
}

/// Bytes that could be used without swapping, also by a container's limit; the largest number if nothing tells.
uint64_t free_memory() {
  uint64_t free = UINT64_MAX;
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;) {
    uint64_t kilobytes = 0;
    if (word == "MemAvailable:" && info >> kilobytes) free = kilobytes * 1024;
  }
  const uint64_t most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  return most == UINT64_MAX || used == UINT64_MAX ? free : std::min(free, most - std::min(most, used));
}

struct Worker {
  pid_t pid = 0;
  int socket = -1;
  std::string read;  ///< the beginning of a line
  std::optional<Job> job;
  Clock::time_point start;
};

class Local final : public Engine {
 public:
  explicit Local(const EngineOptions& options) : options_(options) {
    if (options_.workers == 0) options_.workers = std::max(1u, std::thread::hardware_concurrency());
    if (options_.memory == 0) options_.memory = free_memory() / 10 * 9;
  }
  ~Local() override {
    for (Worker& worker : workers_) end(worker);
  }

  std::optional<Error> run(std::vector<Job> jobs, const Caller& caller) override {
    std::ranges::stable_sort(jobs, std::greater(), &Job::seconds);
    waiting_.assign(jobs.begin(), jobs.end());
    const size_t wanted = std::clamp<size_t>(jobs.size(), 1, options_.workers);
    for (size_t k = wanted; k < workers_.size(); ++k) end(workers_[k]);
    workers_.resize(wanted);
    threads_ = std::max<unsigned>(1, options_.workers / static_cast<unsigned>(wanted));
    auto error = run_all(caller);
    for (Worker& worker : workers_) {
      if (worker.job) end(worker);  // the caller wants no more of it
      worker.job.reset();
    }
    return error;
  }

 private:
  std::optional<Error> run_all(const Caller& caller) {
    while (true) {
      for (Worker& worker : workers_) {
        if (worker.job) continue;
        if (auto error = give(worker, caller)) return error;
        if (!worker.job) break;  // there is nothing to give, or no memory for it
      }
      const auto running =
          static_cast<size_t>(std::ranges::count_if(workers_, [](const Worker& w) { return w.job.has_value(); }));
      if (!caller.beat(running) || (running == 0 && waiting_.empty())) return std::nullopt;
      wait(caller);
    }
  }

  /// What a job may take: what such points took before; else an equal share.
  uint64_t need(const Job& job) const {
    const auto seen = peaks_.find(job.kind);
    if (seen != peaks_.end()) return seen->second;
    return job.peak_bytes != 0 ? job.peak_bytes : options_.memory / options_.workers;
  }

  bool runs_again(const Job& job) const { return std::ranges::find(again_, job.id) != again_.end(); }

  /// The first job that there is memory for. Not all are looked at where many wait.
  std::deque<Job>::iterator next_job() {
    constexpr size_t kMost = 1000;
    uint64_t used = 0;
    bool is_alone = true;
    for (const Worker& worker : workers_) {
      if (!worker.job) continue;
      used += need(*worker.job);
      is_alone = false;
    }
    if (is_alone) return waiting_.begin();
    if (alone_) return waiting_.end();
    const auto last = waiting_.begin() + static_cast<ptrdiff_t>(std::min(kMost, waiting_.size()));
    const auto found = std::find_if(waiting_.begin(), last, [&](const Job& job) {
      return !runs_again(job) && need(job) <= options_.memory - std::min(used, options_.memory);
    });
    return found == last ? waiting_.end() : found;
  }

  std::optional<Error> give(Worker& worker, const Caller& caller) {
    while (!waiting_.empty()) {
      const auto next = next_job();
      if (next == waiting_.end()) return std::nullopt;
      const Job job = *next;
      waiting_.erase(next);
      std::optional<Task> task = caller.task(job);
      if (!task) continue;
      task->threads = threads_;
      const std::string line = to_line(*task) + "\n";
      // A worker that died while it had nothing to do is replaced.
      for (const bool is_last : {false, true}) {
        if (worker.pid == 0) {
          if (auto error = start(worker)) return error;
        }
        if (send_all(worker.socket, line)) break;
        end(worker);
        if (is_last) return Error{"workers end as soon as they start: " + options_.program + " sweep worker"};
      }
      alone_ = runs_again(job);
      worker.job = job;
      worker.start = Clock::now();
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<Error> start(Worker& worker) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return Error{fmt::format("no socket for a worker: {}", std::strerror(errno))};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A group of its own: Ctrl-C is ours to handle, and what a point started can be killed with it.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    std::vector<std::string> words{options_.program, "sweep", "worker"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int failure = posix_spawn(&worker.pid, options_.program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (failure != 0) {
      close(ends[0]);
      worker.pid = 0;
      return Error{fmt::format("a worker cannot be started: {}", std::strerror(failure))};
    }
    worker.socket = ends[0];
    worker.read.clear();
    return std::nullopt;
  }

  static void end(Worker& worker) {
    if (worker.pid == 0) return;
    kill(-worker.pid, SIGKILL);
    while (waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    close(worker.socket);
    worker = Worker{.job = worker.job, .start = worker.start};
  }

  static Outcome failed(std::string why, double seconds = 0) {
    Outcome outcome;
    outcome.failure = std::move(why);
    outcome.seconds = seconds;
    return outcome;
  }

  /// Puts a worker's job back, to run alone. @return false if that was tried before
  bool put_back(Worker& worker) {
    const Job job = *worker.job;
    if (runs_again(job)) return false;
    again_.push_back(job.id);
    waiting_.push_back(job);
    worker.job.reset();
    return true;
  }

  void report(Worker& worker, Outcome outcome, const Caller& caller) {
    // A program that the system killed while others ran may have lacked memory.
    if (outcome.killed && workers_.size() > 1 && put_back(worker)) return;
    const Job job = *worker.job;
    worker.job.reset();
    alone_ = false;
    if (outcome.peak_bytes != 0) peaks_[job.kind] = std::max(peaks_[job.kind], outcome.peak_bytes);
    outcome.id = job.id;
    caller.finished(outcome);
  }

  void lost(Worker& worker, const Caller& caller) {
    end(worker);
    if (!put_back(worker)) report(worker, failed("the process that ran it ended, and when it ran again, too"), caller);
  }

  void take(Worker& worker, const Caller& caller) {
    char block[65536];
    const ssize_t got = recv(worker.socket, block, sizeof block, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) return lost(worker, caller);
    worker.read.append(block, static_cast<size_t>(got));
    const size_t line = worker.read.find('\n');
    if (line == std::string::npos) return;
    Result<Outcome> outcome = outcome_from(std::string_view(worker.read).substr(0, line));
    worker.read.erase(0, line + 1);
    if (!outcome) return report(worker, failed("its outcome cannot be read: " + outcome.error().message), caller);
    report(worker, *std::move(outcome), caller);
  }

  /// Until something comes in, at most a fifth of a second.
  void wait(const Caller& caller) {
    std::vector<pollfd> polled;
    std::vector<Worker*> of;
    for (Worker& worker : workers_) {
      if (!worker.job) continue;
      polled.push_back({worker.socket, POLLIN, 0});
      of.push_back(&worker);
    }
    poll(polled.data(), polled.size(), 200);
    for (size_t k = 0; k < polled.size(); ++k) {
      if (polled[k].revents != 0) take(*of[k], caller);
    }
    if (options_.timeout == 0) return;
    for (Worker& worker : workers_) {
      if (!worker.job || std::chrono::duration<double>(Clock::now() - worker.start).count() < options_.timeout)
        continue;
      end(worker);
      report(worker, failed(fmt::format("it took longer than {} s (--timeout)", options_.timeout), options_.timeout),
             caller);
    }
  }

  EngineOptions options_;
  unsigned threads_ = 1;
  std::deque<Job> waiting_;
  std::vector<Worker> workers_;
  std::vector<uint64_t> again_;       ///< points that run a second time
  bool alone_ = false;                ///< such a point runs: nothing else may
  std::map<size_t, uint64_t> peaks_;  ///< most memory of a point so far, by kind
};

const RegisterEngine local_registered({"local", "worker processes on this machine",
                                       [](const EngineOptions& options) -> std::unique_ptr<Engine> {
                                         return std::make_unique<Local>(options);
                                       }});

}  // namespace
}  // namespace bankshot::sweep
