#include <nlohmann/json.hpp>

#include "bankshot/support/json_error.hpp"
#include "bankshot/sweep/points/task.hpp"

namespace bankshot::sweep {
namespace {

using Json = nlohmann::json;

/// Names of files may be in any encoding.
std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class T, class Read>
Result<T> read_line(std::string_view line, Read read) {
  try {
    const Json json = Json::parse(line);
    T value;
    read(json, value);
    return value;
  } catch (const Json::exception& error) {
    return Error{json_error(error.what())};
  }
}

}  // namespace

std::string to_line(const Task& task) {
  Json json = {{"id", task.id},
               {"key", task.key},
               {"command", task.command},
               {"folder", task.folder},
               {"gpu", task.gpu},
               {"environment", task.environment},
               {"bank_hash", task.bank_hash},
               {"threads", task.threads}};
  if (task.simulate) json["simulate"] = cuda::to_text(*task.simulate);
  return dumped(json);
}

Result<Task> task_from(std::string_view line) {
  std::string simulate;
  bool simulates = false;
  Result<Task> task = read_line<Task>(line, [&](const Json& json, Task& one) {
    json.at("id").get_to(one.id);
    json.at("key").get_to(one.key);
    json.at("command").get_to(one.command);
    json.at("folder").get_to(one.folder);
    json.at("gpu").get_to(one.gpu);
    json.at("environment").get_to(one.environment);
    json.at("bank_hash").get_to(one.bank_hash);
    json.at("threads").get_to(one.threads);
    simulates = json.contains("simulate");
    if (simulates) json.at("simulate").get_to(simulate);
  });
  if (!task || !simulates) return task;
  Result<cuda::SimulateRequest> request = cuda::parse_simulate(simulate);
  if (!request) return request.error();
  task->simulate = *std::move(request);
  return task;
}

std::string to_line(const Outcome& outcome) {
  Json json = {{"id", outcome.id},
               {"seconds", outcome.seconds},
               {"peak_bytes", outcome.peak_bytes},
               {"core_khz", outcome.core_khz}};
  if (!outcome.failure.empty()) json["failure"] = outcome.failure;
  if (outcome.killed) json["killed"] = true;
  Json kernels = Json::array();
  for (const KernelOutcome& kernel : outcome.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"launches", kernel.launches},
                       {"cycles", kernel.cycles},
                       {"error", kernel.error},
                       {"warp_instructions", kernel.warp_instructions},
                       {"thread_instructions", kernel.thread_instructions},
                       {"accesses", kernel.shared.accesses},
                       {"wavefronts", kernel.shared.wavefronts},
                       {"ideal_wavefronts", kernel.shared.ideal_wavefronts},
                       {"counters", kernel.counters}});
  }
  json["kernels"] = std::move(kernels);
  return dumped(json);
}

Result<Outcome> outcome_from(std::string_view line) {
  return read_line<Outcome>(line, [](const Json& json, Outcome& outcome) {
    json.at("id").get_to(outcome.id);
    json.at("seconds").get_to(outcome.seconds);
    json.at("peak_bytes").get_to(outcome.peak_bytes);
    json.at("core_khz").get_to(outcome.core_khz);
    outcome.failure = json.value("failure", "");
    outcome.killed = json.value("killed", false);
    for (const Json& one : json.at("kernels")) {
      KernelOutcome kernel;
      one.at("name").get_to(kernel.name);
      one.at("launches").get_to(kernel.launches);
      one.at("cycles").get_to(kernel.cycles);
      one.at("error").get_to(kernel.error);
      one.at("warp_instructions").get_to(kernel.warp_instructions);
      one.at("thread_instructions").get_to(kernel.thread_instructions);
      one.at("accesses").get_to(kernel.shared.accesses);
      one.at("wavefronts").get_to(kernel.shared.wavefronts);
      one.at("ideal_wavefronts").get_to(kernel.shared.ideal_wavefronts);
      one.at("counters").get_to(kernel.counters);
      outcome.kernels.push_back(std::move(kernel));
    }
  });
}

}  // namespace bankshot::sweep
