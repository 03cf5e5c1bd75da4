#include "bankshot/cuda/process/session.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <cstdlib>

#include "bankshot/cuda/process/checking.hpp"
#include "bankshot/cuda/process/process_id.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/process/witness.hpp"
#include "bankshot/scratchpad/access/rules.hpp"

namespace bankshot::cuda {
namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

/// The number in a variable, 0 if there is none. @param otherwise  what happens if it is none, for the message
unsigned number(const char* name, unsigned most, const char* otherwise) {
  const char* value = environment(name);
  if (!value) return 0;
  char* end = nullptr;
  const unsigned long number = std::strtoul(value, &end, 10);
  if (*end == '\0' && number <= most) return static_cast<unsigned>(number);
  say(fmt::format("{} is \"{}\" and not a number up to {}; {}", name, value, most, otherwise));
  return 0;
}

}  // namespace

Session& Session::get() {
  static Session& session = *new Session;
  return session;
}

Status Session::describe() {
  if (device_) return Status::success;
  if (describe_failed_) return Status::not_initialized;
  const char* wanted = environment("BANKSHOT_GPU");
  auto gpu = gpu::find_gpu(wanted ? wanted : std::string(gpu::kDefaultGpu));
  if (!gpu) {
    describe_failed_ = true;
    say(gpu.error().message);
    return Status::not_initialized;
  }
  if (Simulation::wanted()) {  // what it is told of the GPU, the program sees, too
    const Result<SimulateRequest> request = parse_simulate(std::getenv(kSimulateVariable));
    if (const auto error = request ? gpu::change(*gpu, request->changes()) : std::nullopt) {
      describe_failed_ = true;
      say(std::string(kSimulateVariable) + ": " + error->message);
      return Status::not_initialized;
    }
  }
  if (const char* hash = environment(kBankHashVariable)) {
    if (const auto error = scratchpad::set_bank_hash(gpu->machine.scratchpad, hash)) {
      describe_failed_ = true;
      say(std::string(kBankHashVariable) + ": " + error->message);
      return Status::not_initialized;
    }
  }
  gpu_ = std::move(*gpu);
  device_ = device_info(*gpu_);
  return Status::success;
}

Status Session::open() {
  if (corrupted_ != Status::success) return corrupted_;
  if (engine_) return is_forked() ? Status::not_initialized : Status::success;
  if (const Status status = describe(); status != Status::success) return status;
  simt::EngineOptions options;
  options.machine = gpu_->machine;
  options.threads = number("BANKSHOT_THREADS", 4096, "all cores are used");
  options.memory_bytes = gpu_->global_bytes;
  options.count_conflicts = ReportFile::wants_counts();
  options.trace_accesses = number("BANKSHOT_TRACE", 1 << 20, "nothing is traced");
  if (const char* isa = environment("BANKSHOT_ISA")) options.isa = isa;
  if (!progress_ && Progress::wanted()) progress_ = std::make_unique<Progress>();
  if (progress_) options.progress = [this](uint64_t done, uint64_t ctas) { progress_->update(done, ctas); };
  options.checks = checks();
  if (const Status status = open_simulation(options.threads); status != Status::success) return status;
  engine_ = std::make_unique<simt::Engine>(options);
  opened_by_ = process_id();
  if (Witness* witness = Witness::get()) {
    engine_->memory().before_free = [witness](const simt::Allocation& allocation) {
      if (allocation.kind != simt::MemoryKind::heap) witness->freed(allocation);
    };
  }
  if (checks() != nullptr) {
    engine_->memory().after_allocate = note_allocation;
    engine_->memory().before_free = note_free;
  }
  return Status::success;
}

/// The threads of the engine are the parent's. The real driver refuses a fork's child as well.
bool Session::is_forked() const { return engine_ && opened_by_ != process_id(); }

/// The chip's time goes on after a reset.
Status Session::open_simulation(unsigned threads) {
  if (simulation_ || !Simulation::wanted()) return Status::success;
  const auto failed = [](const std::string& message) {
    say_once(kSimulateVariable, message);
    return Status::not_initialized;
  };
  const Result<SimulateRequest> request = parse_simulate(std::getenv(kSimulateVariable));
  if (!request) return failed(fmt::format("{}: {}", kSimulateVariable, request.error().message));
  const char* hash = environment(kBankHashVariable);
  const Result<timing::Config> config = simulated_config(*gpu_, *request, hash ? hash : "");
  if (!config) return failed(config.error().message);
  simulation_ = std::make_unique<Simulation>(*config, *request, threads, progress_.get());
  return Status::success;
}

std::chrono::steady_clock::time_point Session::now() const {
  if (!simulation_) return std::chrono::steady_clock::now();
  const std::chrono::duration<double> simulated(simulation_->seconds());
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(simulated));
}

Status Session::reset() {
  if (running_graphs != 0) return Status::not_permitted;
  report_.refresh();
  modules_.unload_all();
  captures_.clear();
  graph_execs_.clear();
  graphs_.clear();
  virtual_memory_.clear();
  managed_ranges_.clear();
  streams_.clear();
  events_.clear();
  pools_.clear();
  arrays_.clear();
  texture_objects_.clear();
  texture_references_.clear();
  host_flags_.clear();
  limits_.clear();
  if (Witness* witness = Witness::get(); witness && engine_) {
    engine_->memory().for_each_live([&](const simt::Allocation& allocation) {
      if (allocation.kind != simt::MemoryKind::registered) witness->freed(allocation);
    });
  }
  tell_leaks(corrupted_);
  if (checks() != nullptr) checks()->forget_memory();
  engine_.reset();
  corrupted_ = Status::success;
  return Status::success;
}

}  // namespace bankshot::cuda
