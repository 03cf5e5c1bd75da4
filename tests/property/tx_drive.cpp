#include "tests/property/tx_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "bankshot/scratchpad/hash_text.hpp"
#include "bankshot/simt/launch.hpp"
#include "bankshot/simt/stepper.hpp"
#include "bankshot/timing/chip.hpp"

namespace bankshot::simt::tx {
namespace {

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
  if (pick(4) == 0) o.rules.lanes_b32 = 8, o.rules.lanes_b64 = 4, o.rules.lanes_b128 = 2;
  if (pick(3) == 0) {
    const auto error = scratchpad::set_bank_hash(o.rules, pick(2) != 0 ? "xor" : "add");
    if (error) throw std::runtime_error(error->message);
  }
  return o;
}

std::string text(const Organisation& o) {
  return fmt::format("{}; {} banks of {} bytes, {} ports, {} lanes at once, hash {}", scratchpad::text(o.detection),
                     o.rules.banks, o.rules.bank_bytes, o.rules.ports, o.rules.lanes_b32,
                     o.rules.hash ? scratchpad::spec(*o.rules.hash) : "none");
}

Driver::Driver(const Machine& machine, unsigned ctas) : ctas_(ctas), engine_(options_of(machine, &recorder_)) {
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
  config.grid.x = ctas_;
  std::vector<uint32_t> out(size_t{program.words_out()} * ctas_);
  if (out.size() * 4 > kOutBytes) return "the program has too much memory";
  recorder_.start(program, ctas_);
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
    const Cta& cta = slot_.cta();
    if (!wrong.empty() || cta.faulted) return cta.faulted ? worker.fault.message : wrong;
    for (unsigned thread = 0; thread < program.threads && cta.has_transactions; ++thread) {
      if (!cta.transactions->owns_nothing(thread)) return fmt::format("thread {} keeps words for good", thread);
    }
    return {};
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

std::string Driver::as_usual(const Program& program) {
  return run(program, [&](simt::Program& loaded, const LaunchConfig& launch) {
    const auto done = engine_.launch(loaded, "k", launch);
    return done ? std::string() : done.error().message;
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
    return done->timing.partial ? "no end after so many cycles" : "";
  });
}

}  // namespace bankshot::simt::tx
