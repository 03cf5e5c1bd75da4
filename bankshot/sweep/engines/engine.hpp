// Where points run. An engine is one file of this folder that registers itself under the name that --engine takes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/sweep/points/task.hpp"

namespace bankshot::sweep {

/// A run to come, and what it is expected to need; 0: not known.
struct Job {
  uint64_t id = 0;  ///< of its point in the store
  double seconds = 0;
  uint64_t peak_bytes = 0;
  size_t kind = 0;  ///< the same for runs of one program with the same arguments
};

/// What an engine asks of its caller, all on the thread that called run().
struct Caller {
  /// The task of a job; none if its result is already stored.
  std::function<std::optional<Task>(const Job&)> task;
  /// Keeps a result. An engine reports each task once.
  std::function<void(const Outcome&)> finished;
  /// Keeps a result that an earlier run left behind, if there is none yet.
  /// @param key  of its point @return the number of that point, if the result was kept
  std::function<std::optional<uint64_t>(const std::string& key, Outcome outcome)> found;
  /// Called at least once a second. @param running  points that run now @return false: stop; only results that are
  /// there may still be reported
  std::function<bool(size_t running)> beat;
};

struct EngineOptions {
  std::string program;                   ///< this bankshot, absolute: workers run it
  unsigned workers = 0;                  ///< of one machine; 0: as many as there are cores
  uint64_t memory = 0;                   ///< bytes that all workers together may use; 0: what is free
  double timeout = 0;                    ///< seconds of a point; 0: none
  std::string store;                     ///< file of the store, absolute: whose results a killed run left
  std::string folder;                    ///< of files that other machines read and write
  std::string partition, account, time;  ///< of a cluster's queue, as its sbatch has them; empty: its default
  unsigned points_per_task = 0;          ///< of a cluster; 0: by what points are expected to take
  unsigned tasks = 0;                    ///< of a cluster at once, at most; 0: as many as it gives
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Runs all jobs, the longest first. Returns when all are reported, or beat() said to stop: then nothing runs any
  /// more.
  /// @return why points cannot run here at all
  virtual std::optional<Error> run(std::vector<Job> jobs, const Caller& caller) = 0;
};

struct EngineEntry {
  std::string name, summary;
  std::unique_ptr<Engine> (*make)(const EngineOptions& options);
};
/// All engines, by name.
std::vector<EngineEntry>& engines();

struct RegisterEngine {
  explicit RegisterEngine(EngineEntry entry) { engines().push_back(std::move(entry)); }
};

/// Sends a text through a socket. @return false if the other end is gone
bool send_all(int socket, std::string_view text);

/// What a worker process does: reads tasks from a socket, a line each, and writes their outcomes, until it is closed.
int serve_tasks(int socket);

/// What a task of a cluster does: runs the tasks of a file, a line each, that have no result in the other file yet.
/// Results go to a file of this machine, and all of them to `results` every few seconds and at the end, also if a
/// signal asks to end.
/// @return exit status, or why results cannot be kept
Result<int> serve_file(const std::string& tasks, const std::string& results, const EngineOptions& options);

}  // namespace bankshot::sweep
