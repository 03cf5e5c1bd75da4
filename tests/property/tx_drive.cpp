#include "tests/property/tx_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "bankshot/scratchpad/hash_text.hpp"
#include "bankshot/simt/launch.hpp"
#include "bankshot/simt/stepper.hpp"
#include "bankshot/timing/chip.hpp"

namespace bankshot::simt::tx {
namespace {

using scratchpad::AccessKind;
using What = scratchpad::TxEvent::What;

constexpr uint64_t kMostSteps = 20'000'000;
constexpr size_t kOutBytes = 64 * 1024;

EngineOptions options_of(const Machine& machine, Recorder* recorder) {
  EngineOptions options;
  options.machine = machine;
  options.threads = 1;
  options.memory_bytes = uint64_t{64} << 20;
  options.observer = recorder;
  return options;
}

}  // namespace

Organisation random_organisation(std::mt19937_64& random) {
  const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  Organisation o;
  o.detection.exact = pick(4) == 0;
  o.detection.perfect = pick(8) == 0;
  o.detection.separate = pick(2) != 0;
  o.detection.filter_bits = 4u << pick(4);
  o.detection.hash = &scratchpad::signature_hashes()[pick(3)];
  o.rules.banks = std::array{8u, 32u, 64u}[pick(3)];
  if (pick(4) == 0) o.rules.bank_bytes = 8;
  if (pick(8) == 0) o.rules.ports = 2;
  if (pick(3) == 0) {
    const auto error = scratchpad::set_bank_hash(o.rules, pick(2) != 0 ? "xor" : "add");
    if (error) throw std::runtime_error(error->message);
  }
  return o;
}

std::string text(const Organisation& o) {
  return fmt::format("{}; {} banks of {} bytes, {} ports, hash {}", scratchpad::text(o.detection), o.rules.banks,
                     o.rules.bank_bytes, o.rules.ports, o.rules.hash ? scratchpad::spec(*o.rules.hash) : "none");
}

void Recorder::start(const Program& program) {
  zone_ = program.zone;
  attempts_ = 0;
  most_attempts_ = 20'000 + uint64_t{4'000} * program.threads;
  history_.clear();
  committed_.clear();
  running_.assign(program.threads, {});
}

template <class F>
void Recorder::each(const Warp& warp, uint64_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    f(warp.index * warp.worker->warp_size + lane, lane);
  }
}

void Recorder::begins(const Warp& warp, uint64_t lanes) {
  if (++attempts_ > most_attempts_) throw std::runtime_error(fmt::format("livelock: {} attempts", attempts_));
  each(warp, lanes, [&](unsigned thread, unsigned) {
    running_[thread].clear();
    tell(What::begin, thread);
  });
}

void Recorder::accesses(const Warp& warp, AccessKind kind, unsigned width, const uint32_t* offsets, uint64_t lanes,
                        bool done) {
  each(warp, lanes, [&](unsigned thread, unsigned lane) {
    Access& a = before_[lane];
    const std::byte* const at = warp.cta->shared + offsets[lane];
    if (!done) {
      a = {kind, offsets[lane], width, {}, {}};
      if (kind != AccessKind::store) std::memcpy(a.seen.data(), at, width);
      return;
    }
    if (kind != AccessKind::load) std::memcpy(a.left.data(), at, width);
    running_[thread].push_back(a);
    tell(a, thread);
  });
}

void Recorder::tell(const Access& a, unsigned thread) {
  if (a.offset >= zone_) return;
  const auto byte = [&](What what, uint8_t value, uint32_t k) {
    history_.push_back({what, value, static_cast<uint16_t>(thread), a.offset + k});
  };
  for (uint32_t k = 0; k < a.width && a.kind != AccessKind::store; ++k) byte(What::read, a.seen[k], k);
  for (uint32_t k = 0; k < a.width && a.kind != AccessKind::load; ++k) byte(What::write, a.left[k], k);
}

void Recorder::aborts(const Warp& warp, uint64_t lanes) {
  each(warp, lanes, [&](unsigned thread, unsigned) {
    running_[thread].clear();
    tell(What::abort, thread);
  });
}

void Recorder::commits(const Warp& warp, uint64_t lanes) {
  each(warp, lanes, [&](unsigned thread, unsigned) {
    committed_.emplace_back(thread, std::move(running_[thread]));
    running_[thread].clear();
    tell(What::commit, thread);
  });
}

std::string Recorder::replay(const Program& program, const std::vector<uint32_t>& out) const {
  Reference reference(program);
  std::vector<Access> expected;
  for (size_t k = 0; k < committed_.size(); ++k) {
    const auto& [thread, accesses] = committed_[k];
    const std::string which = fmt::format("commit {} of {}, thread {}: ", k, committed_.size(), thread);
    if (!reference.run(thread, expected)) return which + "its program has no further transaction";
    for (size_t n = 0; n < std::max(accesses.size(), expected.size()); ++n) {
      const std::string is = n < accesses.size() ? text(accesses[n]) : "none";
      const std::string should = n < expected.size() ? text(expected[n]) : "none";
      if (is != should) return fmt::format("{}access {} is {}; alone it is {}", which, n, is, should);
    }
  }
  for (unsigned thread = 0; thread < program.threads; ++thread) {
    if (reference.run(thread, expected)) return fmt::format("thread {} did not commit all its transactions", thread);
  }
  for (unsigned thread = 0; thread < program.threads; ++thread) {
    if (out[thread] == reference.checksum(thread)) continue;
    return fmt::format("what thread {} has at the end is {:#x}; alone it is {:#x}", thread, out[thread],
                       reference.checksum(thread));
  }
  const auto* const memory = reinterpret_cast<const uint8_t*>(out.data() + program.threads);
  for (uint32_t k = 0; k < program.bytes(); ++k) {
    if (memory[k] == reference.memory[k]) continue;
    return fmt::format("byte {} of shared memory ends as {:#04x}; alone it is {:#04x}", k, memory[k],
                       reference.memory[k]);
  }
  return {};
}

std::string Recorder::judge(const Program& program, const std::vector<uint32_t>& out) const {
  std::vector<uint8_t> first(program.zone), last(program.zone);
  for (uint32_t k = 0; k < program.zone; ++k) first[k] = initial_byte(k);
  std::memcpy(last.data(), out.data() + program.threads, program.zone);
  const std::string violation = scratchpad::check_history(history_, first, last);
  if (!violation.empty()) return "not serialisable: " + violation;
  const std::string other = replay(program, out);
  return other.empty() ? other : "not as single threads in the order of commits: " + other;
}

Driver::Driver(const Machine& machine) : engine_(options_of(machine, &recorder_)) {
  input_ = *engine_.memory().allocate(4 * kInputs, MemoryKind::device);
  out_ = *engine_.memory().allocate(kOutBytes, MemoryKind::device);
  std::memcpy(reinterpret_cast<void*>(input_), inputs().data(), 4 * kInputs);
}

Driver::~Driver() {
  engine_.memory().free(input_);
  engine_.memory().free(out_);
}

/// @param run  of (loaded program, launch): empty, or what went wrong
template <class Run>
std::string Driver::run(const Program& program, Run&& run) {
  const std::string ptx = tx::ptx(program);
  const auto loaded = engine_.load(ptx, "random.ptx");
  if (!loaded) return format_diagnostics(loaded.error(), "random.ptx", ptx);
  const std::array<uint64_t, 2> params{input_, out_};
  LaunchConfig config;
  config.block.x = program.threads;
  config.params = std::as_bytes(std::span(params));
  std::vector<uint32_t> out(program.threads + program.bytes() / 4);
  if (out.size() * 4 > kOutBytes) return "the program has too much memory";
  recorder_.start(program);
  try {
    std::string wrong = run(**loaded, config);
    if (!wrong.empty()) return wrong;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  std::memcpy(out.data(), reinterpret_cast<const void*>(out_), out.size() * 4);
  return recorder_.judge(program, out);
}

/// @param run  of (worker): empty, or what went wrong
template <class Run>
std::string Driver::on_slot(const Program& program, const Organisation& organisation, Run&& run) {
  return this->run(program, [&](simt::Program& loaded, const LaunchConfig& config) -> std::string {
    const auto setup = engine_.set_up(loaded, "k", config);
    if (!setup) return setup.error().message;
    const Launch launch = begin_launch(*setup);
    Worker worker = make_worker(*setup, launch, setup->program->functions[setup->function].isolated);
    worker.rules = &organisation.rules;
    worker.tx_config = &organisation.detection;
    slot_.cta().transactions.reset();  // of another organisation
    slot_.prepare(worker);
    slot_.start(0);
    const std::string wrong = run();
    add(totals_, worker.tx);
    return slot_.cta().faulted ? worker.fault.message : wrong;
  });
}

std::string Driver::in_turns(const Program& program, const Organisation& organisation) {
  return on_slot(program, organisation, [&]() -> std::string {
    for (uint64_t turns = 0; turns < kMostSteps / 100; ++turns) {
      if (slot_.turn() != CtaSlot::Turn::waiting) return {};
    }
    return "no end after so many turns";
  });
}

std::string Driver::at_random(const Program& program, const Organisation& organisation, uint64_t seed,
                              unsigned change) {
  return on_slot(program, organisation, [&]() -> std::string {
    std::mt19937_64 random(seed);
    Cta& cta = slot_.cta();
    std::vector<const Instr*> next(cta.warps.size());
    std::vector<size_t> ready;
    size_t last = 0;
    for (size_t k = 0; k < next.size(); ++k) next[k] = next_of(cta.warps[k]);
    for (uint64_t steps = 0; steps < kMostSteps; ++steps) {
      ready.clear();
      for (size_t k = 0; k < next.size(); ++k) {
        Warp& warp = cta.warps[k];
        if (warp.displaced || (next[k] == nullptr && !warp.done)) {
          warp.displaced = false;
          next[k] = next_of(warp);
        }
        if (cta.faulted) return {};
        if (next[k] != nullptr) ready.push_back(k);
      }
      if (cta.live_warps == 0) return {};
      if (ready.empty()) {
        if (!slot_.release_or_fault()) return "deadlock: no warp can go on";
        continue;
      }
      if (next[last] == nullptr || random() % change == 0) last = ready[random() % ready.size()];
      next[last] = step(cta.warps[last], next[last]);
      if (cta.faulted) return {};
    }
    return fmt::format("no end after {} instructions", kMostSteps);
  });
}

std::string Driver::on_chip(const Program& program, const timing::Config& config) {
  return run(program, [&](simt::Program& loaded, const LaunchConfig& launch) -> std::string {
    timing::ChipOptions options;
    options.threads = 1;
    options.max_cycles = 100'000'000;  // of all programs together
    if (!chip_) chip_ = std::make_unique<timing::Chip>(config, options);
    const auto done = chip_->launch(engine_, loaded, "k", launch, {1, "CTA slots"});
    if (!done) return done.error().message;
    return done->timing.partial ? "no end after so many cycles" : "";
  });
}

}  // namespace bankshot::simt::tx
