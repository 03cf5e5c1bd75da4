// Running one point.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <nlohmann/json.hpp>

#include "bankshot/host/captured.hpp"
#include "bankshot/host/observe.hpp"
#include "bankshot/sweep/points/task.hpp"

namespace bankshot::sweep {
namespace {

/// The last lines of what a program said, as one line.
std::string last_words(const std::string& text) {
  constexpr size_t kMost = 300;
  std::string own;  // without warnings of Bankshot
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (!text.substr(at, end - at).starts_with("bankshot: warning: ")) own += text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  std::string words = own.substr(own.size() - std::min(own.size(), kMost));
  if (words.size() < own.size()) words = words.substr(std::min(words.find('\n') + 1, words.size()));
  while (!words.empty() && words.back() == '\n') words.pop_back();
  for (char& c : words) c = c == '\n' ? ';' : c;
  return words;
}

std::string failure_of(const host::Observation& seen, const host::Target& target, const std::string& said) {
  if (!seen.lost.empty()) return seen.lost[0];
  std::string failure;
  if (seen.ending.signal != 0) {
    failure = host::killed_text(target, seen.ending);
    if (failure.empty()) failure = fmt::format("killed by signal {}", seen.ending.signal);
  } else if (!seen.report.failed.empty()) {
    const report::FailedLaunches& first = seen.report.failed[0];
    return fmt::format("a launch of {} failed: {}", first.demangled, first.reason);
  } else if (seen.ending.status != 0) {
    failure = fmt::format("the program ended with status {}", seen.ending.status);
  } else if (!seen.unfinished.empty()) {
    return seen.unfinished[0];
  } else if (seen.report.is_partial()) {
    failure = "the report is incomplete";
  } else if (seen.report.kernels.empty()) {
    failure = "the program launched no kernel";
  }
  const std::string words = last_words(said);
  return failure.empty() || words.empty() ? failure : failure + ": " + words;
}

}  // namespace

std::vector<KernelOutcome> kernels_of(const report::RunReport& report) {
  std::vector<KernelOutcome> all;
  for (const report::Kernel& kernel : report.kernels) {
    KernelOutcome one;
    one.name = kernel.demangled;
    one.launches = kernel.launches;
    one.warp_instructions = kernel.warp_instructions;
    one.thread_instructions = kernel.thread_instructions;
    const report::SharedTotals shared = kernel.shared();
    one.accesses = shared.accesses;
    one.wavefronts = shared.wavefronts;
    one.conflicts = shared.conflicts();
    // With sampling, counters are those of the part that was simulated.
    if (kernel.timing && !kernel.timing->is_estimated()) {
      const timing::Counters& counters = kernel.timing->counters;
      nlohmann::ordered_json json = nlohmann::ordered_json::object();
      for (const timing::CounterName& counter : timing::counter_names()) {
        if (counters.*counter.value != 0) json[std::string(counter.name)] = counters.*counter.value;
      }
      for (unsigned cause = 0; cause < timing::kCauses; ++cause) {
        if (counters.slots[cause] != 0)
          json["slots_" + std::string(timing::name(static_cast<timing::Cause>(cause)))] = counters.slots[cause];
      }
      one.counters = json.dump();
    }
    if (kernel.timing) {
      one.cycles = kernel.timing->cycles();
      one.error = kernel.timing->sampled ? kernel.timing->sampled->error : 0;
    }
    all.push_back(std::move(one));
  }
  return all;
}

cuda::Request request_of(const Task& task) {
  cuda::Request request;
  request.threads = task.threads;
  request.joined = true;
  request.simulate = task.simulate;
  return request;
}

Outcome run_task(const Task& task) {
  Outcome outcome;
  outcome.id = task.id;
  const auto start = std::chrono::steady_clock::now();
  const auto failed = [&](std::string why) {
    outcome.failure = std::move(why);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return outcome;
  };
  if (chdir(task.folder.c_str()) != 0)
    return failed(fmt::format("{} cannot be entered: {}", task.folder, std::strerror(errno)));
  host::SetupOptions options;
  options.gpu = task.gpu;
  options.threads = task.threads;
  options.bank_hash = task.bank_hash;
  Result<host::Setup> setup = host::set_up(options, task.command);
  if (!setup) return failed(setup.error().message);
  cuda::Request request = request_of(task);
  request.gpu = setup->request.gpu;
  request.bank_hash = setup->request.bank_hash;
  setup->request = std::move(request);
  for (const auto& [name, value] : task.environment) setup->libraries[name] = value;
  const Result<host::Captured> said = host::Captured::make();
  if (!said) return failed(said.error().message);
  const Result<host::Observation> seen =
      host::observe(*setup, task.command, {.output = said->descriptor(), .error = said->descriptor()});
  if (!seen) return failed(seen.error().message);
  outcome.peak_bytes = seen->ending.peak_bytes;
  outcome.killed = seen->ending.signal == SIGKILL;
  if (std::string why = failure_of(*seen, setup->target, said->text()); !why.empty()) return failed(std::move(why));
  outcome.kernels = kernels_of(seen->report);
  outcome.core_khz = seen->report.machine ? seen->report.machine->core_khz : 0;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace bankshot::sweep
