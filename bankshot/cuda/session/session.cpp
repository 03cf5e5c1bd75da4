#include "bankshot/cuda/session/session.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <cstdlib>

#include "bankshot/cuda/process/checking.hpp"
#include "bankshot/cuda/process/interrupt.hpp"
#include "bankshot/cuda/process/ledger.hpp"
#include "bankshot/cuda/process/process_id.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/process/witness.hpp"
#include "bankshot/cuda/session/ending.hpp"
#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::cuda {
namespace {

/// The GPU that the process sees. Also an error if there is no way to report what the process does.
Result<gpu::Gpu> described_gpu(const Request& request) {
  if (request_problem()) return *request_problem();
  if (const auto error = open_ledger(request.report_folder)) return Error{"nothing can be reported: " + error->message};
  auto gpu = gpu::find_gpu(request.gpu.empty() ? std::string(gpu::kDefaultGpu) : request.gpu);
  if (!gpu) return gpu;
  if (request.simulate) {
    if (auto error = gpu::change(*gpu, request.simulate->changes())) return *error;
  }
  if (!request.bank_hash.empty()) {
    if (const auto error = scratchpad::set_bank_hash(gpu->machine.scratchpad, request.bank_hash))
      return Error{std::string(kBankHashVariable) + ": " + error->message};
  }
  return gpu;
}

}  // namespace

Session& Session::get() {
  static Session& session = *new Session;
  return session;
}

Status Session::describe() {
  if (device_) return Status::success;
  if (describe_failed_) return Status::not_initialized;
  auto gpu = described_gpu(process_request());
  if (!gpu) {
    describe_failed_ = true;
    say(gpu.error().message);
    return Status::not_initialized;
  }
  if (!process_request().report_folder.empty()) std::at_quick_exit(finish_report);  // quick_exit calls no destructors
  gpu_ = std::move(*gpu);
  device_ = device_info(*gpu_);
  device_->pageable_memory = process_request().pageable_memory;
  return Status::success;
}

Status Session::open() {
  if (corrupted_ != Status::success) return corrupted_;
  if (engine_) return is_forked() ? Status::not_initialized : Status::success;
  if (const Status status = describe(); status != Status::success) return status;
  simt::EngineOptions options;
  options.machine = gpu_->machine;
  const Request& request = process_request();
  options.threads = request.threads;
  options.memory_bytes = gpu_->global_bytes;
  options.count_conflicts = !request.report_folder.empty() && checks() == nullptr;
  options.trace_accesses = request.trace_accesses;
  options.sample_ctas = request.sample_ctas;
  if (request.l1) options.l1 = gpu_->l1_rules();
  if (request.joined) options.machine_code = gpu_->machine_code();
  options.timing = request.simulate.has_value();
  if (!request.isa.empty()) options.isa = request.isa;
  if (!progress_)
    progress_ = std::make_unique<Progress>(Progress::style(request.progress), request.threads, request.quicker);
  options.progress = [this](const simt::LaunchProgress& now) { progress_->update(now); };
  options.stop = &HeldInterrupt::flag();
  options.checks = checks();
  options.compile = request.compile;
  options.tell_compiled = (request.tell_compiled || request.time_launches) && !request.simulate;
  if (const Status status = open_simulation(options.threads); status != Status::success) return status;
  engine_ = std::make_unique<simt::Engine>(options);
  memory_.attach(engine_->memory());
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
  const Request& request = process_request();
  if (simulation_ || !request.simulate) return Status::success;
  const Result<timing::Config> config =
      simulated_config(*gpu_, *request.simulate, request.bank_hash, !request.instruction_hashes.empty());
  if (!config) {
    say_once("simulate", config.error().message);
    return Status::not_initialized;
  }
  simulation_ = std::make_unique<Simulation>(*config, *request.simulate, threads, *progress_);
  return Status::success;
}

std::chrono::steady_clock::time_point Session::now() const {
  if (!simulation_) return std::chrono::steady_clock::now();
  const std::chrono::duration<double> simulated(simulation_->seconds());
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(simulated));
}

Status Session::reset() {
  if (work_.running_graphs != 0) return Status::not_permitted;
  report_.refresh();
  modules_.unload_all();
  work_.clear();
  memory_.clear();
  textures_.clear();
  limits_.clear();
  if (Witness* witness = Witness::get(); witness && engine_) {
    engine_->memory().for_each_live([&](const simt::Allocation& allocation) {
      if (allocation.kind != simt::MemoryKind::registered) witness->freed(allocation);
    });
  }
  tell_leaks(corrupted_);
  if (checks() != nullptr) checks()->forget_memory();
  memory_.detach();
  engine_.reset();
  corrupted_ = Status::success;
  return Status::success;
}

}  // namespace bankshot::cuda
