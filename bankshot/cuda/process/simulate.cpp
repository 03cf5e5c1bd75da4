#include "bankshot/cuda/process/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/support/nearest_name.hpp"
#include "bankshot/timing/atomics/locks.hpp"
#include "bankshot/timing/chip/components.hpp"
#include "bankshot/timing/pipelines/stage_config.hpp"

namespace bankshot::cuda {
namespace {

Result<timing::Cycle> cycles(std::string_view name, std::string_view value) {
  timing::Cycle number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc{} && end == value.data() + value.size() && number != 0 && number != timing::kNever)
    return number;
  return Error{fmt::format("{} is \"{}\" and not a number of cycles", name, value)};
}

/// An error unless the name is one of them, or empty.
template <class Names>
std::string unknown(std::string_view what, std::string_view name, const Names& names) {
  std::vector<std::string> list;
  if (name.empty()) return {};
  for (const timing::Component& each : names) {
    if (each.name == name) return {};
    list.push_back(each.name);
  }
  return fmt::format("there is no {} '{}'; there are: {}{}", what, name, fmt::join(list, ", "),
                     did_you_mean(name, list));
}

/// GPUs that can be simulated, for messages.
std::string simulated_gpus() {
  std::string list;
  for (const std::string& name : gpu::gpu_names()) {
    const auto gpu = gpu::find_gpu(name);
    if (gpu && gpu->timing) list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

}  // namespace

Result<SimulateRequest> parse_simulate(std::string_view text) {
  SimulateRequest request;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
    if (name == "scheduler")
      request.scheduler = value;
    else if (name == "pipeline")
      request.pipeline = value;
    else if (name == "atomics")
      request.atomics = value;
    else if (name == "aware")
      request.aware = value;
    else if (name == "set")
      request.set.emplace_back(value);
    else if (name == "lock_hash")
      request.lock_hash = value;
    else if (part == "sample=1")
      request.sample = true;
    else if (name == "max_cycles" || name == "timeline_cycles") {
      const Result<timing::Cycle> number = cycles(name, value);
      if (!number) return number.error();
      (name == "max_cycles" ? request.max_cycles : request.timeline_cycles) = *number;
    } else {
      return Error{
          fmt::format("\"{}\" is none of scheduler=, pipeline=, aware=, atomics=, set=, lock_hash=, max_cycles=, "
                      "timeline_cycles=, sample=1",
                      part)};
    }
  }
  return request;
}

std::string to_text(const SimulateRequest& request) {
  std::vector<std::string> parts;
  if (!request.scheduler.empty()) parts.push_back("scheduler=" + request.scheduler);
  if (!request.pipeline.empty()) parts.push_back("pipeline=" + request.pipeline);
  if (!request.aware.empty()) parts.push_back("aware=" + request.aware);
  if (!request.atomics.empty()) parts.push_back("atomics=" + request.atomics);
  for (const std::string& one : request.set) parts.push_back("set=" + one);
  if (!request.lock_hash.empty()) parts.push_back("lock_hash=" + request.lock_hash);
  if (request.max_cycles != timing::kNever) parts.push_back(fmt::format("max_cycles={}", request.max_cycles));
  if (request.timeline_cycles != 0) parts.push_back(fmt::format("timeline_cycles={}", request.timeline_cycles));
  if (request.sample) parts.emplace_back("sample=1");
  return fmt::format("{}", fmt::join(parts, ";"));
}

std::vector<std::string> SimulateRequest::changes() const {
  std::vector<std::string> all = set;
  if (!scheduler.empty()) all.push_back("issue.policy=" + scheduler);
  if (!pipeline.empty()) all.push_back("issue.pipeline=" + pipeline);
  if (!aware.empty()) all.push_back("issue.aware=" + aware);
  if (!atomics.empty()) all.push_back("scratchpad.atomics=" + atomics);
  return all;
}

std::optional<Error> problem_of(const SimulateRequest& request) {
  for (const std::string& problem : {unknown("scheduler", request.scheduler, timing::schedulers()),
                                     unknown("pipeline", request.pipeline, timing::pipelines()),
                                     unknown("foresight", request.aware, timing::foresights()),
                                     unknown("atomics unit", request.atomics, timing::atomics_units())}) {
    if (!problem.empty()) return Error{problem};
  }
  for (const std::string& one : request.set) {
    const size_t equals = one.find('=');
    if (one.find(';') != one.npos) return Error{"--set: '" + one + "': no value has a semicolon"};
    if (equals == one.npos || one.rfind('.', equals) == one.npos)
      return Error{"--set: '" + one + "' is not SECTION.KEY=VALUE"};
  }
  return std::nullopt;
}

Result<timing::Config> simulated_config(const gpu::Gpu& gpu, const SimulateRequest& request, std::string_view bank_hash,
                                        bool by_instruction) {
  if (!gpu.timing) {
    return Error{fmt::format("{} has no timing sections, so it cannot be simulated; these GPUs have them: {}", gpu.file,
                             simulated_gpus())};
  }
  if (auto problem = problem_of(request)) return *problem;
  if (request.atomics == "lock" && timing::locks_of(*gpu.timing).bits == 0) {
    return Error{
        fmt::format("atomics unit 'lock': {} has no section [scratchpad.locks] with the cycles of locks", gpu.file)};
  }
  gpu::Gpu changed = gpu;
  if (!bank_hash.empty())
    changed.machine.scratchpad.hash.reset();  // it is set below, for the banks that are there then
  if (const auto error = gpu::change(changed, request.changes())) {
    const timing::IssueConfig& issue = changed.timing->issue;
    if (!error->message.starts_with("issue.pipeline: ")) return Error{error->message + " (" + gpu.file + ")"};
    return Error{fmt::format(
        "pipeline '{}' needs one scheduler of width 1, at least one memory stage and at least two other stages; {} has "
        "{} of width {} and {} stages, {} of them for memory: use --gpu cf11, or change that with --set "
        "issue.schedulers=1 --set issue.width=1 --set issue.stages=24 --set issue.memory_stages=4",
        issue.pipeline, gpu.file, issue.schedulers == 1 ? "one" : std::to_string(issue.schedulers), issue.width,
        changed.timing->parameters[timing::kStages], changed.timing->parameters[timing::kMemoryStages])};
  }
  if (const auto error = gpu::changes_nothing(changed, request.set)) return Error{"--set: " + error->message};
  timing::Config config = *changed.timing;
  if (!request.lock_hash.empty()) {
    if (config.scratchpad.atomics != "lock")
      return Error{"--lock-hash needs the atomics unit 'lock', but this is '" + config.scratchpad.atomics + "'"};
    const Result<scratchpad::LockHash> hash = scratchpad::parse_lock_hash(request.lock_hash, timing::lock_size(config));
    if (!hash) return Error{"--lock-hash: " + hash.error().message};
    config.lock_hash = *hash;
  }
  if (!bank_hash.empty()) {
    if (const auto error = scratchpad::set_bank_hash(config.rules, bank_hash))
      return Error{"--bank-hash: " + error->message};
  }
  // By the name of its class: the same banks can be those of a configurable hash.
  const bool fixed_banks = bank_hash.empty() ? !config.rules.hash : scratchpad::is_fixed(bank_hash);
  if (!by_instruction && fixed_banks && (request.lock_hash.empty() || scratchpad::is_fixed(request.lock_hash)))
    config.scratchpad.hash_cycles = 0;
  return config;
}

}  // namespace bankshot::cuda
