// Tasks and outcomes as lines of JSON. The fields are those of the structures.
#include <nlohmann/json.hpp>

#include "bankshot/support/json_error.hpp"
#include "bankshot/sweep/points/task.hpp"

namespace bankshot::sweep {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Task, id, key, command, folder, environment, gpu, bank_hash, threads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelOutcome, name, launches, cycles, error, warp_instructions, thread_instructions,
                                   accesses, wavefronts, conflicts, counters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, id, failure, killed, seconds, peak_bytes, core_khz, kernels)

namespace {

using Json = nlohmann::json;

/// Names of files may be in any encoding.
std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string to_line(const Task& task) {
  Json json = task;
  if (task.simulate) json["simulate"] = cuda::to_text(*task.simulate);
  return dumped(json);
}

Result<Task> task_from(std::string_view line) {
  try {
    const Json json = Json::parse(line);
    Task task = json.get<Task>();
    if (!json.contains("simulate")) return task;
    Result<cuda::SimulateRequest> request = cuda::parse_simulate(json.at("simulate").get<std::string>());
    if (!request) return request.error();
    task.simulate = *std::move(request);
    return task;
  } catch (const Json::exception& error) {
    return Error{json_error(error.what())};
  }
}

std::string to_line(const Outcome& outcome) { return dumped(outcome); }

Result<Outcome> outcome_from(std::string_view line) {
  try {
    return Json::parse(line).get<Outcome>();
  } catch (const Json::exception& error) {
    return Error{json_error(error.what())};
  }
}

}  // namespace bankshot::sweep
