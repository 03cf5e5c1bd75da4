// What Slurm's commands do and say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::sweep::slurm {

/// A job array: a script that runs once for each of its tasks.
struct Array {
  std::string name, folder;            ///< folder: in which it runs, and where its file `script` is
  std::string script, argument, logs;  ///< logs: of what a task prints; %a is its number
  size_t tasks = 0;
  unsigned at_once = 0;                  ///< tasks, at most; 0: as many as there is room for
  std::string partition, account, time;  ///< as sbatch has them; empty: its default
  unsigned cores = 0;                    ///< of a task; 0: its default
  uint64_t memory = 0;                   ///< bytes of a task; 0: its default
};

/// @return its number, or why Slurm refuses it
Result<std::string> submit(const Array& array);

struct QueuedTask {
  size_t index = 0;
  std::string state, reason;  ///< "RUNNING", "None"
  bool has_failed = false;    ///< it ended by itself, with a status that is not 0
};
/// The tasks of an array that Slurm still knows: those that ended some minutes ago are not among them.
/// @return nothing if it does not answer
std::optional<std::vector<QueuedTask>> queue(const std::string& number);
/// Of a state.
bool has_ended(const std::string& state);
/// Whether a task waits for what will not come by itself: nodes that its partition does not have, a valid account.
bool waits_in_vain(const QueuedTask& task);

/// Whether jobs of that name wait, run or end. True if Slurm does not answer.
bool is_queued(const std::string& name);
/// Jobs of that name get a signal to end, and are killed if they do not.
void cancel(const std::string& name);

/// Cores of a partition; 0: not known.
size_t cores(const std::string& partition);
/// The most tasks that an array may have.
size_t most_tasks();

}  // namespace bankshot::sweep::slurm
