#include "bankshot/report/json/timing_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_values.hpp"
#include "bankshot/report/run/timing_lines.hpp"

namespace bankshot::report {
namespace {

using namespace json_values;
using nlohmann::ordered_json;
using Slots = std::array<uint64_t, timing::kCauses>;

std::string cause(unsigned k) { return std::string(name(static_cast<timing::Cause>(k))); }

ordered_json slots_json(const Slots& slots, bool zeros) {
  ordered_json json = ordered_json::object();
  for (unsigned k = 0; k < timing::kCauses; ++k) {
    if (zeros || slots[k] != 0) json[cause(k)] = slots[k];
  }
  return json;
}

ordered_json machine_json(const SimulatedMachine& machine) {
  ordered_json json = {{"scheduler", machine.scheduler}, {"pipeline", machine.pipeline},
                       {"atomics", machine.atomics},     {"aware", machine.aware},
                       {"commit", machine.commit},       {"bank_hash", machine.bank_hash},
                       {"lock_hash", machine.lock_hash}, {"transactions", machine.transactions}};
  json["parameters"] = machine.parameters;
  for (const MachineNumber& number : machine_numbers()) json[std::string(number.name)] = machine.*number.value;
  return json;
}

/// What every object with counters begins with.
ordered_json summary_json(const timing::Counters& counters) {
  return {{"cycles", counters.cycles}, {"ipc", ipc(counters)}, {"stalls", slots_json(counters.slots, true)}};
}

void put_sampled(const std::optional<timing::Sampled>& sampled, ordered_json& json) {
  if (!sampled) return;
  json["sampled"] = {
      {"cycles", sampled->cycles}, {"error", sampled->error}, {"warp_instructions", sampled->warp_instructions}};
}

std::optional<timing::Sampled> read_sampled(const json& object) {
  if (!object.contains("sampled")) return std::nullopt;
  const json& from = member(object, "sampled");
  timing::Sampled sampled;
  sampled.warp_instructions = number<uint64_t>(from, "warp_instructions");
  for (const auto& [key, value] : {std::pair{"cycles", &sampled.cycles}, {"error", &sampled.error}}) {
    const json& given = member(from, key);
    if (!given.is_number() || given.get<double>() < 0) throw Bad{fmt::format("\"{}\" must be a number", key)};
    *value = given.get<double>();
  }
  return sampled;
}

ordered_json counters_json(const timing::Counters& counters, unsigned banks) {
  ordered_json json = ordered_json::object();
  for (const timing::CounterName& counter : timing::counter_names())
    json[std::string(counter.name)] = counters.*counter.value;
  json["bank_lanes"] = std::vector<uint64_t>(counters.bank_lanes.begin(), counters.bank_lanes.begin() + banks);
  return json;
}

ordered_json line_counters_json(const timing::LineCounters& counters) {
  return {{"issued", counters.issued},
          {"stalls", slots_json(counters.slots, false)},
          {"conflict_cycles", counters.conflict_cycles},
          {"conflict_cycles_exposed", counters.exposed}};
}

Slots read_slots(const json& object, bool zeros) {
  const json& stalls = member(object, "stalls");
  if (!stalls.is_object()) throw Bad{"\"stalls\" must be an object"};
  Slots slots{};
  for (unsigned k = 0; k < timing::kCauses; ++k) {
    if (zeros || stalls.contains(cause(k))) slots[k] = number<uint64_t>(stalls, cause(k).c_str());
  }
  return slots;
}

timing::Counters read_counters(const json& object) {
  timing::Counters counters;
  const json& numbers = member(object, "counters");
  for (const timing::CounterName& counter : timing::counter_names()) {
    counters.*counter.value = number<uint64_t>(numbers, std::string(counter.name).c_str());
  }
  const json& banks = list(numbers, "bank_lanes");
  if (banks.size() > scratchpad::kMaxBanks)
    throw Bad{"\"bank_lanes\" has more than " + std::to_string(scratchpad::kMaxBanks) + " banks"};
  for (size_t k = 0; k < banks.size(); ++k) {
    if (!banks[k].is_number_unsigned()) throw Bad{"\"bank_lanes\" must hold whole numbers"};
    counters.bank_lanes[k] = banks[k].get<uint64_t>();
  }
  counters.slots = read_slots(object, true);
  return counters;
}

/// By cause one number a span; causes without a slot are left out.
ordered_json series_json(const timing::SlotSeries& series) {
  ordered_json stalls = ordered_json::object();
  for (unsigned k = 0; k < timing::kCauses; ++k) {
    std::vector<uint64_t> slots;
    for (const timing::SlotSeries::Slots& span : series.spans()) slots.push_back(span[k]);
    if (std::ranges::any_of(slots, [](uint64_t n) { return n != 0; })) stalls[cause(k)] = std::move(slots);
  }
  return {{"span_cycles", series.cycles()}, {"spans", series.spans().size()}, {"stalls", std::move(stalls)}};
}

timing::SlotSeries read_series(const json& object) {
  const auto cycles = number<uint64_t>(object, "span_cycles");
  const auto spans = number<uint64_t>(object, "spans");
  if (cycles == 0) throw Bad{"\"span_cycles\" must be at least 1"};
  if (spans > timing::SlotSeries::kMostSpans)
    throw Bad{"\"spans\" must be at most " + std::to_string(timing::SlotSeries::kMostSpans)};
  std::vector<timing::SlotSeries::Slots> all(spans);
  const json& stalls = member(object, "stalls");
  if (!stalls.is_object()) throw Bad{"\"stalls\" must be an object"};
  for (unsigned k = 0; k < timing::kCauses; ++k) {
    if (!stalls.contains(cause(k))) continue;
    const json& slots = list(stalls, cause(k).c_str());
    if (slots.size() != spans) throw Bad{"\"" + cause(k) + "\" must have a number for each of \"spans\""};
    for (size_t at = 0; at < spans; ++at) {
      if (!slots[at].is_number_unsigned()) throw Bad{"\"" + cause(k) + "\" must hold whole numbers"};
      all[at][k] = slots[at].get<uint64_t>();
    }
  }
  return {cycles, std::move(all)};
}

TimedLaunch read_launch(const json& object) {
  TimedLaunch launch;
  launch.grid = extent(object, "grid");
  launch.block = extent(object, "block");
  launch.counters = read_counters(object);
  launch.ctas_per_sm = number<unsigned>(object, "ctas_per_sm");
  launch.warps_per_cta = number<unsigned>(object, "warps_per_cta");
  launch.limited_by = text(object, "limited_by");
  launch.partial = flag(object, "partial");
  launch.sampled = read_sampled(object);
  if (object.contains("over_time")) launch.over_time = read_series(member(object, "over_time"));
  return launch;
}

timing::LineTiming read_instruction(const json& object, const std::vector<ptx::SourceFrame>& frames) {
  timing::LineTiming line;
  line.source = read_source(object, frames);
  line.op = text(object, "op");
  line.counters.issued = number<uint64_t>(object, "issued");
  line.counters.slots = read_slots(object, false);
  line.counters.conflict_cycles = number<uint64_t>(object, "conflict_cycles");
  line.counters.exposed = number<uint64_t>(object, "conflict_cycles_exposed");
  return line;
}

}  // namespace

ordered_json totals_json(const RunReport& report) {
  KernelTiming all;
  for (const Kernel& kernel : report.kernels) {
    if (!kernel.timing) continue;
    timing::add(all.counters, kernel.timing->counters);
    if (kernel.timing->sampled)
      timing::add(all.sampled ? *all.sampled : all.sampled.emplace(), *kernel.timing->sampled);
  }
  ordered_json json = summary_json(all.counters);
  put_sampled(all.sampled, json);
  json["config"] = machine_json(*report.machine);
  return json;
}

ordered_json timing_json(const KernelTiming& timing, const SimulatedMachine& machine, unsigned banks) {
  ordered_json json = summary_json(timing.counters);
  put_sampled(timing.sampled, json);
  json["config"] = machine_json(machine);
  json["partial_launches"] = timing.partial_launches;
  json["launches_left_out"] = timing.launches_left_out;
  json["counters"] = counters_json(timing.counters, banks);
  return json;
}

std::vector<ordered_json> launches_json(const KernelTiming& timing, unsigned banks) {
  std::vector<ordered_json> all;
  for (const TimedLaunch& launch : timing.launches) {
    ordered_json json = {{"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
                         {"block", {launch.block.x, launch.block.y, launch.block.z}},
                         {"partial", launch.partial},
                         {"ctas_per_sm", launch.ctas_per_sm},
                         {"warps_per_cta", launch.warps_per_cta},
                         {"limited_by", launch.limited_by}};
    json.update(summary_json(launch.counters));
    put_sampled(launch.sampled, json);
    if (launch.over_time) json["over_time"] = series_json(*launch.over_time);
    json["counters"] = counters_json(launch.counters, banks);
    all.push_back(std::move(json));
  }
  return all;
}

std::vector<ordered_json> instructions_json(const KernelTiming& timing, FrameTable& frames) {
  std::vector<ordered_json> all;
  for (const timing::LineTiming& line : timing.lines) {
    ordered_json json = frames.source(line.source);
    json["op"] = line.op;
    json.update(line_counters_json(line.counters));
    all.push_back(std::move(json));
  }
  return all;
}

std::vector<ordered_json> timed_lines_json(const KernelTiming& timing) {
  std::vector<ordered_json> all;
  for (const TimedLine& line : timed_lines(timing)) {
    const simt::Source& source = timing.lines[line.instructions[0]].source;
    ordered_json json = {{"file", source.file}, {"line", source.line}};
    json.update(line_counters_json(line.counters));
    json["instructions"] = line.instructions;
    all.push_back(std::move(json));
  }
  return all;
}

SimulatedMachine read_machine(const json& config) {
  SimulatedMachine machine;
  machine.scheduler = text(config, "scheduler");
  machine.pipeline = text(config, "pipeline");
  machine.atomics = text(config, "atomics");
  machine.aware = text(config, "aware");
  machine.commit = text(config, "commit");
  machine.bank_hash = text(config, "bank_hash");
  machine.lock_hash = text(config, "lock_hash");
  machine.transactions = text(config, "transactions");
  const json& parameters = member(config, "parameters");
  if (!parameters.is_object()) throw Bad{"\"parameters\" must be an object"};
  for (const auto& each : parameters.items())
    machine.parameters[each.key()] = number<unsigned>(parameters, each.key().c_str());
  for (const MachineNumber& each : machine_numbers()) {
    const std::string key(each.name);
    machine.*each.value = number<unsigned>(config, key.c_str());
    if (machine.*each.value == 0 && !each.zero) throw Bad{"\"" + key + "\" must be at least 1"};
  }
  return machine;
}

KernelTiming read_timing(const json& kernel, const SimulatedMachine& machine,
                         const std::vector<ptx::SourceFrame>& frames) {
  KernelTiming timing;
  timing.counters = read_counters(kernel);
  timing.sampled = read_sampled(kernel);
  timing.partial_launches = number<uint64_t>(kernel, "partial_launches");
  timing.launches_left_out = number<uint64_t>(kernel, "launches_left_out");
  for (const json& launch : list(kernel, "timed_launches")) timing.launches.push_back(read_launch(launch));
  for (const json& line : list(kernel, "timed_instructions")) timing.lines.push_back(read_instruction(line, frames));
  if (const std::string law = contradiction(timing, machine); !law.empty()) throw Bad{law};
  return timing;
}

}  // namespace bankshot::report
