#include "bankshot/sweep/engines/slurm_queue.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

extern char** environ;

namespace bankshot::sweep::slurm {
namespace {

struct Answer {
  int status = -1;   ///< -1: it was killed, or could not be started
  std::string text;  ///< what it wrote to both its outputs
};

/// In a process group of its own: Ctrl-C must not end a command half-way.
Answer ask(std::vector<std::string> words) {
  Answer answer;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {.status = -1, .text = std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failure = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  std::array<char, 4096> block;
  while (failure == 0) {
    const ssize_t got = read(ends[0], block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer.text.append(block.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  if (failure != 0) return {.status = -1, .text = std::strerror(failure)};
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) answer.status = WEXITSTATUS(status);
  return answer;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::optional<size_t> number(std::string_view text) {
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "Batch job submission failed: Invalid account": what a command complains of, as one line.
std::string complaint(std::string_view text) {
  std::string all;
  for (std::string_view line : split(text, '\n')) {
    for (const std::string_view start : {"sbatch: ", "error: "}) {
      if (line.starts_with(start)) line.remove_prefix(start.size());
    }
    all += (all.empty() ? "" : "; ") + std::string(line);
  }
  return all;
}

}  // namespace

Result<std::string> submit(const Array& array) {
  std::vector<std::string> words{
      "sbatch",
      "--parsable",
      "--requeue",
      "--open-mode=append",
      "--job-name=" + array.name,
      "--chdir=" + array.folder,
      "--output=" + array.logs,
      fmt::format("--array=0-{}{}", array.tasks - 1, array.at_once != 0 ? fmt::format("%{}", array.at_once) : "")};
  if (!array.partition.empty()) words.push_back("--partition=" + array.partition);
  if (!array.account.empty()) words.push_back("--account=" + array.account);
  if (!array.time.empty()) words.push_back("--time=" + array.time);
  if (array.cores != 0) words.push_back(fmt::format("--cpus-per-task={}", array.cores));
  if (array.memory != 0) words.push_back(fmt::format("--mem={}M", std::max<uint64_t>(1, array.memory >> 20)));
  words.push_back(array.folder + "/" + array.script);
  words.push_back(array.argument);
  const Answer answer = ask(words);
  if (answer.status != 0) return Error{"sbatch refuses the job array: " + complaint(answer.text)};
  // "1234" or "1234;cluster"; a warning may stand before it.
  std::string id;
  for (const std::string_view line : split(answer.text, '\n')) {
    const std::string_view first = line.substr(0, line.find(';'));
    if (number(first)) id = first;
  }
  if (id.empty()) return Error{"sbatch does not tell the number of the job array: " + complaint(answer.text)};
  return id;
}

std::optional<std::vector<QueuedTask>> queue(const std::string& id) {
  const Answer answer = ask({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + id,
                             "--Format=ArrayTaskID:|,State:|,Reason:|,exit_code:|"});
  std::vector<QueuedTask> tasks;
  if (answer.status != 0)
    return answer.text.find("Invalid job id") != std::string::npos ? std::optional(tasks) : std::nullopt;
  for (const std::string_view line : split(answer.text, '\n')) {
    const std::vector<std::string_view> parts = split(line, '|');
    if (parts.size() != 4) continue;
    const auto status = static_cast<int>(number(parts[3]).value_or(0));  // as wait() gives it
    if (const auto index = number(parts[0]))
      tasks.push_back(
          {*index, std::string(parts[1]), std::string(parts[2]), WIFEXITED(status) && WEXITSTATUS(status) != 0});
  }
  return tasks;
}

bool has_ended(const std::string& state) {
  constexpr std::array kEnds{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE",      "FAILED",
                             "NODE_FAIL", "PREEMPTED", "REVOKED",   "OUT_OF_MEMORY", "TIMEOUT"};
  return std::ranges::find(kEnds, state) != kEnds.end();
}

bool waits_in_vain(const QueuedTask& task) {
  constexpr std::array kReasons{"AccountNotAllowed", "BadConstraints",     "InvalidAccount", "InvalidQOS",
                                "PartitionConfig",   "PartitionTimeLimit", "QOSNotAllowed"};
  return task.state == "PENDING" && std::ranges::find(kReasons, task.reason) != kReasons.end();
}

bool is_queued(const std::string& name) {
  const Answer answer = ask({"squeue", "--noheader", "--name=" + name, "--format=%T"});
  return answer.status != 0 || !answer.text.empty();
}

void cancel(const std::string& name) { ask({"scancel", "--quiet", "--name=" + name}); }

size_t cores(const std::string& partition) {
  std::vector<std::string> words{"sinfo", "--noheader", "--format=%C"};
  if (!partition.empty()) words.push_back("--partition=" + partition);
  size_t most = 0;
  // Allocated, idle, other, all: of each group of nodes.
  for (const std::string_view line : split(ask(words).text, '\n')) {
    const std::vector<std::string_view> counts = split(line, '/');
    if (counts.size() == 4) most = std::max(most, number(counts[3]).value_or(0));
  }
  return most;
}

size_t most_tasks() {
  constexpr size_t kDefault = 1001;  // Slurm's
  for (const std::string_view line : split(ask({"scontrol", "show", "config"}).text, '\n')) {
    if (!line.starts_with("MaxArraySize")) continue;
    const std::vector<std::string_view> words = split(line, ' ');
    return std::max<size_t>(1, number(words.back()).value_or(kDefault));
  }
  return kDefault;
}

}  // namespace bankshot::sweep::slurm
