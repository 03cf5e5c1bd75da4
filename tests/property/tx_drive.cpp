#include "tests/property/tx_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/simt/run/launch.hpp"
#include "bankshot/simt/run/stepper.hpp"
#include "bankshot/timing/chip/chip.hpp"

namespace bankshot::simt::tx {
namespace {

constexpr uint64_t kMostSteps = 20'000'000;
constexpr size_t kOutBytes = 128 * 1024;

EngineOptions options_of(const Machine& machine, Recorder* recorder) {
  EngineOptions options;
  options.machine = machine;
  options.threads = 1;
  options.memory_bytes = uint64_t{64} << 20;
  options.observer = recorder;
  return options;
}

/// What holds of transactions that have all ended, if it does.
std::string laws(const scratchpad::TxTotals& t) {
  if (t.lanes == t.commits + t.aborts && t.aborts == t.conflicts + t.killed + t.invalid) return {};
  return fmt::format("{} lanes, {} commits, {} aborts: {} conflicts, {} killed, {} invalid", t.lanes, t.commits,
                     t.aborts, t.conflicts, t.killed, t.invalid);
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
  if (pick(4) == 0) o.rules.lanes_b32 = 8, o.rules.lanes_b64 = 4, o.rules.lanes_b128 = 2;
  if (pick(3) == 0) {
    const auto error = scratchpad::set_bank_hash(o.rules, pick(2) != 0 ? "xor" : "add");
    if (error) throw std::runtime_error(error->message);
  }
  o.detection.exclusive = pick(8) == 0;
  return o;
}

std::string text(const Organisation& o) {
  return fmt::format("{}; {} banks of {} bytes, {} ports, {} lanes at once, hash {}", scratchpad::text(o.detection),
                     o.rules.banks, o.rules.bank_bytes, o.rules.ports, o.rules.lanes_b32,
                     o.rules.hash ? scratchpad::spec(*o.rules.hash) : "none");
}

Driver::Driver(const Machine& machine) : engine_(options_of(machine, &recorder_)) {
  input_ = *engine_.memory().allocate(4 * kInputs, MemoryKind::device);
  out_ = *engine_.memory().allocate(kOutBytes, MemoryKind::device);
  words_ = *engine_.memory().allocate(kMostGlobal, MemoryKind::device);
  std::memcpy(reinterpret_cast<void*>(input_), inputs().data(), 4 * kInputs);
}

Driver::~Driver() {
  engine_.memory().free(input_);
  engine_.memory().free(out_);
  engine_.memory().free(words_);
}

/// @param run  of (loaded program, launch): empty, or what went wrong
template <class Run>
std::string Driver::run(const Program& program, Run&& run) {
  const std::string ptx = tx::ptx(program);
  const auto loaded = engine_.load(ptx, "random.ptx");
  if (!loaded) return format_diagnostics(loaded.error(), "random.ptx", ptx);
  const std::array<uint64_t, 3> params{input_, out_, words_};
  LaunchConfig config;
  config.block.x = program.threads;
  config.params = std::as_bytes(std::span(params));
  config.grid.x = program.ctas;
  std::vector<uint32_t> out(size_t{program.words_out()} * program.ctas);
  std::vector<uint8_t> global(program.global_zone);
  if (out.size() * 4 > kOutBytes) return "the program has too much memory";
  for (uint32_t k = 0; k < global.size(); ++k) reinterpret_cast<uint8_t*>(words_)[k] = initial_byte(k);
  recorder_.start(program, words_);
  try {
    std::string wrong = run(**loaded, config);
    if (!wrong.empty()) return wrong;
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  std::memcpy(out.data(), reinterpret_cast<const void*>(out_), out.size() * 4);
  if (!global.empty()) std::memcpy(global.data(), reinterpret_cast<const void*>(words_), global.size());
  return recorder_.judge(program, out, global);
}

/// @param run  of CTAs that have started: empty, or what went wrong
template <class Run>
std::string Driver::on_slots(const Program& program, const Organisation& organisation, Run&& run) {
  return this->run(program, [&](simt::Program& loaded, const LaunchConfig& config) -> std::string {
    const auto setup = engine_.set_up(loaded, "k", config);
    if (!setup) return setup.error().message;
    const Launch launch = begin_launch(*setup);
    Worker worker = make_worker(*setup, launch, setup->program->functions[setup->function].isolated);
    worker.rules = &organisation.rules;
    worker.tx_config = &organisation.detection;
    slots_.resize(program.ctas);
    for (uint64_t k = 0; k < slots_.size(); ++k) {
      slots_[k].cta().transactions.reset();  // of another organisation
      slots_[k].prepare(worker);
      slots_[k].start(k);
    }
    const std::string wrong = run();
    add(totals_, worker.tx);
    for (CtaSlot& slot : slots_) {
      if (slot.cta().faulted) return worker.fault.message;
    }
    if (!wrong.empty()) return wrong;
    for (CtaSlot& slot : slots_) {
      const Cta& cta = slot.cta();
      for (unsigned thread = 0; thread < program.threads && cta.has_transactions; ++thread) {
        if (!cta.transactions->owns_nothing(thread)) return fmt::format("thread {} keeps words for good", thread);
      }
    }
    return {};
  });
}

std::string Driver::in_turns(const Program& program, const Organisation& organisation) {
  return on_slots(program, organisation, [&]() -> std::string {
    for (uint64_t turns = 0; turns < kMostSteps / 100; ++turns) {
      bool all_done = true;
      for (CtaSlot& slot : slots_) {
        if (slot.cta().live_warps == 0) continue;
        const CtaSlot::Turn turn = slot.turn();
        if (turn == CtaSlot::Turn::faulted) return {};
        all_done &= turn == CtaSlot::Turn::done;
      }
      if (all_done) return {};
    }
    return "no end after so many turns";
  });
}

std::string Driver::at_random(const Program& program, const Organisation& organisation, uint64_t seed,
                              unsigned change) {
  return on_slots(program, organisation, [&]() -> std::string {
    std::mt19937_64 random(seed);
    struct Place {
      Warp* warp;
      const Instr* next;
    };
    std::vector<Place> warps;
    for (CtaSlot& slot : slots_) {
      for (Warp& warp : slot.cta().warps) warps.push_back({&warp, next_of(warp)});
    }
    const auto any_fault = [&] {
      return std::any_of(slots_.begin(), slots_.end(), [](CtaSlot& slot) { return slot.cta().faulted; });
    };
    std::vector<size_t> ready;
    size_t last = 0;
    for (uint64_t steps = 0; steps < kMostSteps; ++steps) {
      ready.clear();
      for (size_t k = 0; k < warps.size(); ++k) {
        auto& [warp, next] = warps[k];
        if (warp->displaced || (next == nullptr && !warp->done)) {
          warp->displaced = false;
          next = next_of(*warp);
          if (warp->cta->faulted) return {};
        }
        if (next != nullptr) ready.push_back(k);
      }
      if (ready.empty()) {
        bool any = false, released = false;
        for (CtaSlot& slot : slots_) {
          if (slot.cta().live_warps == 0) continue;
          any = true;
          released |= slot.release_or_fault();
        }
        if (!any) return {};
        if (any_fault()) return {};
        if (!released) return "deadlock: no warp can go on";
        continue;
      }
      if (warps[last].next == nullptr || random() % change == 0) last = ready[random() % ready.size()];
      auto& [warp, next] = warps[last];
      next = step(*warp, next).next;
      if (warp->cta->faulted) return {};
    }
    return fmt::format("no end after {} instructions", kMostSteps);
  });
}

std::string Driver::in_both_ways(const Program& program, std::mt19937_64& random) {
  Organisation organisation = random_organisation(random);
  std::string wrong = in_turns(program, organisation);
  if (!wrong.empty()) return "warps in turns, " + text(organisation) + ":\n" + wrong;
  organisation = random_organisation(random);
  const unsigned change = std::array{1u, 2u, 10u, 50u}[random() % 4];
  wrong = at_random(program, organisation, random(), change);
  return wrong.empty() ? wrong : "warps at random, " + text(organisation) + ":\n" + wrong;
}

std::string Driver::as_usual(const Program& program) {
  return run(program, [&](simt::Program& loaded, const LaunchConfig& launch) {
    const auto done = engine_.launch(loaded, "k", launch);
    return done ? laws(done->transactions) : done.error().message;
  });
}

std::string Driver::on_chip(const Program& program, const timing::Config& config) {
  return run(program, [&](simt::Program& loaded, const LaunchConfig& launch) -> std::string {
    timing::ChipOptions options;
    options.threads = 1;
    options.max_cycles = 100'000'000;  // of all programs together
    if (!chip_ || chip_->cycles() > options.max_cycles / 2) chip_ = std::make_unique<timing::Chip>(config, options);
    const auto done = chip_->launch(engine_, loaded, "k", launch, {2, "CTA slots"});
    if (!done) return done.error().message;
    if (done->timing.partial) return "no end after so many cycles";
    add(on_chips_, done->stats.transactions);
    return laws(done->stats.transactions);
  });
}

}  // namespace bankshot::simt::tx
