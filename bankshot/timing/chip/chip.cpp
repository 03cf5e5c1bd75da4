// The chip: quanta, the interconnect between SMs and partitions, the end of a launch. CTAs: chip_ctas.cpp.
#include "bankshot/timing/chip/chip.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <thread>

#include "bankshot/support/round_up.hpp"
#include "bankshot/timing/chip/chip_state.hpp"
#include "bankshot/timing/chip/quanta.hpp"

namespace bankshot::timing {
namespace {

LaunchKind kind_of(const simt::LaunchSetup& setup) {
  const simt::Dim3 grid = setup.config->grid, block = setup.config->block;
  return {setup.program->serial,
          setup.function,
          {grid.x, grid.y, grid.z, block.x, block.y, block.z},
          setup.config->dynamic_shared};
}

unsigned warps_per_cta(const Config& config, const simt::LaunchSetup& setup) {
  const auto threads = static_cast<unsigned>(setup.config->block.count());
  return (threads + config.warp_size - 1) / config.warp_size;
}

/// CTAs of so many warps that an SM holds.
unsigned resident_ctas(unsigned warps, const Residency& residency) {
  return std::clamp(residency.ctas_per_sm, 1u, std::max(1u, 64 / warps));
}

void describe(const Config& config, const simt::LaunchSetup& setup, const Residency& residency, LaunchTiming& timing) {
  timing.warps_per_cta = warps_per_cta(config, setup);
  timing.ctas_per_sm = resident_ctas(timing.warps_per_cta, residency);
  timing.limited_by = residency.limited_by;
}

}  // namespace

void Chip::State::set_up(const simt::LaunchSetup& setup, const simt::Launch& given, const Residency& residency) {
  constexpr size_t kMostPrograms = 64;  // programs may load modules without end
  if (programs.size() > kMostPrograms) programs.clear();
  Operations& known = programs[setup.program->serial];
  if (known.of.empty()) known = operations(*setup.program);
  SmLaunch each;
  each.setup = &setup;
  each.launch = launch = &given;
  each.operations = &known;
  host.update(*setup.memory);
  each.host = &host;
  each.warps_per_cta = warps_per_cta(config, setup);
  each.ctas_per_sm = resident_ctas(each.warps_per_cta, residency);
  each.l1_bytes = l1_bytes(config, each.ctas_per_sm, given.shared_bytes);
  each.begin = time;
  each.timeline_end = options.timeline_cycles == 0 ? 0 : config.launch.cycles + options.timeline_cycles;
  ctas = setup.config->grid.count();
  next_cta = skip_to = skipped = 0;
  plan = {};
  outputs.clear();
  if (options.sample && simt::is_isolated(setup) && simt::cluster_size(*setup.config) == 1)
    plan = CtaPlan(ctas, uint64_t{each.ctas_per_sm} * sms.size());
  cluster = simt::cluster_size(*setup.config);
  begin = quantum = time;
  stopped = false;
  fault = nullptr;
  arrivals.resize(sms.size());
  seen.assign(sms.size(), setup.memory->generation());
  for (Sm& sm : sms) {
    sm.begin_launch(each);
    sm.counters() = {};
    for (const unsigned which : {0u, 1u}) sm.port().use_outbox(which);
  }
  for (Memory& memory : memories) {
    memory.partition.reset_counters();
    for (auto& boxes : memory.outbox) {
      for (auto& box : boxes) box.clear();
    }
  }
  dispatch(begin + config.launch.cycles);
  limit = options.max_cycles == kNever ? kNever : begin + (options.max_cycles - std::min(options.max_cycles, used));
  quantum_end = std::min(limit, quantum + config.interconnect.latency);
}

void Chip::State::part(unsigned k) {
  if (k < sms.size()) {
    sm_part(sms[k]);
  } else {
    memory_part(memories[k - sms.size()]);
  }
}

void Chip::State::sm_part(Sm& sm) {
  std::vector<Packet>& in = arrivals[sm.index()];
  in.clear();
  for (const Memory& memory : memories) {
    const std::vector<Packet>& box = memory.outbox[1 - parity][sm.index()];
    in.insert(in.end(), box.begin(), box.end());
  }
  // Each box is in order; of packets of one time, that of the lower channel comes first.
  if (!in.empty()) {
    std::stable_sort(in.begin(), in.end(), [](const Packet& a, const Packet& b) { return a.time < b.time; });
    sm.port().receive(in);
  }
  sm.port().use_outbox(parity);
  notice_frees(sm);
  sm.advance(quantum_end);
}

/// A kernel on another SM may have freed what this one's accesses hit before. Programs that can run on one thread, SM
/// after SM.
void Chip::State::notice_frees(Sm& sm) {
  simt::Worker& worker = sm.worker();
  const uint64_t now = worker.memory->generation();
  if (std::exchange(seen[sm.index()], now) == now) return;
  for (simt::Worker::Hit& hit : worker.hits) hit = {};
}

void Chip::State::memory_part(Memory& memory) {
  for (const Sm& sm : sms) {
    const std::vector<Packet>& box = sm.port().outbox(1 - parity)[memory.channel];
    if (!box.empty()) memory.partition.receive(box);
  }
  for (auto& box : memory.outbox[parity]) box.clear();
  memory.answers.clear();
  memory.partition.advance(quantum_end, memory.answers);
  for (const Packet& packet : memory.answers) memory.outbox[parity][packet.sm].push_back(packet);
  memory.has_sent = !memory.answers.empty();
}

/// SMs of a group share a port for stores: those that sent some in this quantum share it equally in the next. SMs are
/// dealt out to the groups in turn, as are CTAs.
void Chip::State::share_ports() {
  const unsigned size = config.interconnect.group_sms;
  if (size == 0) return;
  const size_t groups = (sms.size() + size - 1) / size;
  for (size_t group = 0; group < groups; ++group) {
    uint64_t senders = 0;
    for (size_t k = group; k < sms.size(); k += groups) senders += sms[k].port().has_sent_stores();
    const uint64_t pace = senders * MemoryPort::kPace * 100 / config.interconnect.group_percent;
    for (size_t k = group; k < sms.size(); k += groups)
      sms[k].port().set_pace(std::max(MemoryPort::kPace, static_cast<unsigned>(pace)));
  }
}

/// What one thread does between two quanta. @return false if the launch ends
bool Chip::State::between() {
  perform_pending();
  share_ports();
  if (find_fault()) return false;
  if (cluster > 1) check_clusters();
  dispatch(quantum_end);
  return next_cta < skip_to ? false : go_on();
}

/// @return false if the launch ends
bool Chip::State::go_on() {
  if (is_finished()) return false;
  if (quantum_end >= limit || (options.stop != nullptr && options.stop->load(std::memory_order_relaxed))) {
    stopped = true;
    return false;
  }
  tell(false);
  return choose_next_quantum();
}

/// Atomics and strong accesses take effect in one order, whatever the threads did: by cycle, then SM, then as issued.
void Chip::State::perform_pending() {
  order.clear();
  for (Sm& sm : sms) {
    order.insert(order.end(), sm.pending().begin(), sm.pending().end());
    sm.pending().clear();
  }
  if (order.empty()) return;
  for (Sm& sm : sms) notice_frees(sm);
  std::stable_sort(order.begin(), order.end(),
                   [](const Sm::Pending& a, const Sm::Pending& b) { return a.cycle < b.cycle; });
  const unsigned mxcsr = _mm_getcsr();
  for (const Sm::Pending& pending : order) {
    simt::Worker& worker = *pending.access.warp->worker;
    _mm_setcsr(simt::kDefaultMxcsr);
    worker.fp = 0;
    worker.cycle = sms[static_cast<size_t>(worker.sm)].clock_at(pending.cycle);
    Sm& sm = sms[static_cast<size_t>(worker.sm)];
    if (sm.fault() && *sm.fault() <= pending.cycle) continue;  // what came before it counts
    worker.tx_charge = {};
    const bool fine = pending.arrival.barriers.empty() ? simt::perform(pending.access) : sm.tell_others(pending);
    if (!fine) sm.set_fault(pending.cycle);
    sm.performed(pending, quantum_end);
  }
  _mm_setcsr(mxcsr);
}

bool Chip::State::find_fault() {
  Cycle first = kNever;
  for (Sm& sm : sms) {
    if (!sm.fault() || *sm.fault() >= first) continue;
    first = *sm.fault();
    fault = &sm.worker().fault;
  }
  return fault != nullptr;
}

/// All that live are blocked. @return false if a CTA has faulted for that
bool Chip::State::break_deadlock() {
  if (cluster > 1) {  // a CTA that is blocked may wait for another one's lanes
    bool any = false;
    for (Sm& sm : sms) any |= sm.release_blocked(quantum_end);
    if (any) return true;
  }
  for (Sm& sm : sms) {
    if (!sm.break_deadlock(quantum_end)) break;
  }
  return !find_fault();
}

bool Chip::State::is_finished() const {
  if (next_cta < ctas) return false;
  return std::all_of(sms.begin(), sms.end(), [](const Sm& sm) { return sm.is_idle(); });
}

Cycle Chip::State::next_event() const {
  Cycle next = kNever;
  for (const Sm& sm : sms) next = std::min(next, sm.next_event());
  for (const Memory& memory : memories) next = std::min(next, memory.partition.next_event());
  return next;
}

bool Chip::State::choose_next_quantum() {
  bool sent = std::any_of(memories.begin(), memories.end(), [](const Memory& m) { return m.has_sent; });
  for (Sm& sm : sms) sent |= sm.port().has_sent();
  Cycle next = quantum_end;
  if (!sent) {
    // Nothing is on its way: what lies before the next event can be skipped, in whole quanta.
    Cycle event = next_event();
    if (event == kNever) {
      if (!break_deadlock()) return false;
      event = next_event();
    }
    const Cycle latency = config.interconnect.latency;
    if (event != kNever && event > next) next += (event - next) / latency * latency;
  }
  parity = 1 - parity;
  quantum = std::min(next, limit);
  quantum_end = std::min(limit, quantum + config.interconnect.latency);
  return true;
}

void Chip::State::tell(bool at_end) {
  if (!options.progress) return;
  const auto now = std::chrono::steady_clock::now();
  if (!at_end && now - told < std::chrono::milliseconds(50)) return;
  told = now;
  ChipProgress progress;
  progress.ctas = ctas;
  progress.cycles = quantum_end - begin;
  progress.ctas_done = skipped;
  for (Sm& sm : sms) progress.ctas_done += sm.ctas_ended();
  progress.warp_instructions = warp_instructions();
  if (at_end) progress.ctas_done = ctas;
  options.progress(progress);
}

uint64_t Chip::State::warp_instructions() {
  uint64_t sum = 0;
  for (Sm& sm : sms) sum += sm.counters().warp_instructions;
  return sum;
}

Cycle Chip::State::end_of_launch() {
  if (stopped) return quantum_end;
  Cycle end = begin;
  for (const Sm& sm : sms) end = std::max(end, sm.busy_until());
  return end;
}

/// Dirty sectors on their way to DRAM arrive, so that nothing of this launch counts for the next one.
void Chip::State::drain(Cycle from) {
  time = from;
  for (Memory& memory : memories) {
    while (memory.partition.next_event() != kNever) {
      time = std::max(time, memory.partition.next_event() + 1);
      memory.partition.advance(time, memory.answers);
    }
    time = std::max(time, memory.partition.busy_until());
  }
  time = round_up<Cycle>(time, config.interconnect.latency);
  for (Memory& memory : memories) memory.partition.advance(time, memory.answers);
}

/// @param functional_workers  of what was not simulated
SimulatedLaunch Chip::State::result(const simt::LaunchSetup& setup, Cycle end,
                                    std::vector<simt::Worker>& functional_workers) {
  SimulatedLaunch result;
  std::vector<simt::Worker*> workers;
  std::vector<LineCounters> lines(setup.program->code.size());
  for (Sm& sm : sms) {
    sm.end_launch(end);
    add(result.timing.counters, sm.counters());
    workers.push_back(&sm.worker());
    result.timing.over_time.merge(sm.over_time());
    for (size_t k = 0; k < lines.size(); ++k) add(lines[k], sm.lines()[k]);
  }
  result.timing.over_time.end(end - begin);
  for (const Memory& memory : memories) add(result.timing.counters, memory.partition.counters());
  Counters& counters = result.timing.counters;
  counters.cycles = end - begin;
  counters.sm_cycles = counters.cycles * sms.size();
  for (simt::Worker& worker : functional_workers) workers.push_back(&worker);
  result.stats = simt::collect(setup, workers);
  result.stats.warp_instructions = counters.warp_instructions;
  result.stats.thread_instructions = counters.thread_instructions;
  for (const simt::Worker& worker : functional_workers) {
    result.stats.warp_instructions += worker.warp_instructions;
    result.stats.thread_instructions += worker.thread_instructions;
  }
  std::vector<uint32_t> line_of(lines.size(), 0);
  for (size_t k = 0; k < lines.size(); ++k) {
    if (lines[k].issued == 0 && lines[k].slots == decltype(lines[k].slots){}) continue;
    line_of[k] = static_cast<uint32_t>(result.timing.lines.size());
    const simt::Instr* const instr = setup.program->code.data() + k;
    result.timing.lines.push_back(
        {setup.program->source_of(instr), setup.program->texts[setup.program->info[k].text], lines[k]});
  }
  for (Sm& sm : sms) {
    for (Span& span : sm.timeline()) {
      span.instr = line_of[span.instr];
      result.timing.timeline.push_back(span);
    }
  }
  result.timing.partial = stopped;
  return result;
}

namespace {

/// A cluster that does not fit on the chip would never start.
std::optional<simt::Fault> too_large(const Config& config, const simt::LaunchSetup& setup, const Residency& residency) {
  const uint64_t room = uint64_t{config.sms} * std::max(1u, residency.ctas_per_sm);
  const uint32_t cluster = simt::cluster_size(*setup.config);
  if (cluster <= room) return std::nullopt;
  simt::Fault fault;
  fault.kind = simt::Fault::Kind::deadlock;
  fault.kernel = setup.kernel->name;
  fault.message =
      "a cluster of " + std::to_string(cluster) + " CTAs cannot start: the GPU holds " + std::to_string(room);
  return fault;
}

}  // namespace

Chip::Chip(const Config& config, ChipOptions options) : state_(std::make_unique<State>(config, std::move(options))) {}
Chip::~Chip() = default;
void Chip::copied(const simt::Memory& memory, uint64_t address, uint64_t bytes) {
  if (!memory.contains(address)) return;
  const Config& config = state_->config;
  const uint64_t line = config.l2.line_bytes, sector = config.l1.sector_bytes;
  const uint64_t end = address - memory.base() + bytes;
  const uint64_t begin = end - std::min(bytes, 2 * config.l2_bytes);  // what came before has gone again
  for (uint64_t at = begin / line * line; at < end; at += line) {
    uint8_t sectors = 0;
    for (uint64_t k = 0; k < line / sector; ++k) {
      if (at + k * sector < end && at + (k + 1) * sector > begin) sectors |= static_cast<uint8_t>(1u << k);
    }
    state_->memories[channel_of(config, at)].partition.hold(at, sectors);
  }
}

const Config& Chip::config() const { return state_->config; }
Cycle Chip::cycles() const { return state_->time; }

Result<SimulatedLaunch, simt::Fault> Chip::launch(simt::Engine& engine, simt::Program& program, std::string_view kernel,
                                                  const simt::LaunchConfig& config, const Residency& residency) {
  Result<simt::LaunchSetup, simt::Fault> setup = engine.set_up(program, kernel, config);
  if (!setup) return setup.error();
  State& chip = *state_;
  setup->rules = &chip.config.rules;
  if (!chip.is_clean) chip.build();
  const simt::Launch launch = simt::begin_launch(*setup);
  if (const auto refusal = too_large(chip.config, *setup, residency)) return *refusal;
  LaunchSample* const sample = chip.options.sample ? &chip.samples[kind_of(*setup)] : nullptr;
  if (sample != nullptr && !sample->in_detail()) {
    auto stats = simt::run_launch(*setup, chip.functional);
    if (!stats) return stats.error();
    SimulatedLaunch result;
    result.timing.sampled = sample->skipped(config.grid.count(), stats->warp_instructions);
    result.timing.sampled->cycles += static_cast<double>(chip.config.launch.cycles);
    result.timing.partial = stats->stopped;
    result.stats = std::move(*stats);
    describe(chip.config, *setup, residency, result.timing);
    return result;
  }
  chip.set_up(*setup, launch, residency);
  std::optional<simt::ClusterRunner> runner;
  if (chip.plan.mark() < chip.ctas) {
    runner.emplace(*setup, launch, chip.functional);
    for (simt::Worker& worker : runner->workers()) {
      worker.counting = true;
      if (worker.sites.empty()) worker.sites.resize(setup->program->sites.size());
    }
  }
  const auto parts = static_cast<unsigned>(chip.sms.size() + chip.memories.size());
  const unsigned wanted = setup->program->shares_runtime ? 1
                          : chip.options.threads != 0    ? chip.options.threads
                                                         : std::thread::hardware_concurrency();
  const unsigned threads = chip.pool.prepare(std::clamp(wanted, 1u, parts));
  const unsigned mxcsr = _mm_getcsr();
  if (chip.ctas != 0 && chip.quantum_end > chip.quantum) {
    do {
      run_quanta(chip.pool, threads, parts, [&](unsigned k) { chip.part(k); }, [&] { return chip.between(); });
    } while (runner && chip.skip(*runner));
  } else {
    chip.stopped = chip.ctas != 0;
  }
  _mm_setcsr(mxcsr);
  chip.tell(true);
  chip.is_clean = chip.fault == nullptr && !chip.stopped;
  for (Sm& sm : chip.sms) {
    std::vector<simt::Output>& printed = sm.outputs(!chip.is_clean);
    std::move(printed.begin(), printed.end(), std::back_inserter(chip.outputs));
    printed.clear();
  }
  simt::print(chip.outputs);
  if (chip.fault != nullptr) {
    simt::Fault fault = *chip.fault;
    chip.drain(chip.quantum_end);
    return fault;
  }
  const Cycle end = chip.end_of_launch();
  chip.used += end - chip.begin;
  chip.drain(std::max(end, chip.quantum_end));
  std::vector<simt::Worker> none;
  SimulatedLaunch result = chip.result(*setup, end, runner ? runner->workers() : none);
  describe(chip.config, *setup, residency, result.timing);
  if (sample != nullptr) {
    Sampled& all = result.timing.sampled.emplace(chip.plan.rates().estimate());
    all.cycles += static_cast<double>(end - chip.begin);
    all.warp_instructions = result.stats.warp_instructions;
    if (!chip.stopped)
      sample->measured(chip.ctas, all.cycles - static_cast<double>(chip.config.launch.cycles), all.error,
                       all.warp_instructions);
  }
  return result;
}

}  // namespace bankshot::timing
