#include "bankshot/cuda/launch/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/launch/clusters.hpp"
#include "bankshot/cuda/launch/failed_launch.hpp"
#include "bankshot/cuda/launch/kernel_limits.hpp"
#include "bankshot/cuda/launch/kernel_work.hpp"
#include "bankshot/cuda/launch/launch_check.hpp"
#include "bankshot/cuda/launch/record_launch.hpp"
#include "bankshot/cuda/memory/host_memory.hpp"
#include "bankshot/cuda/memory/transfer.hpp"
#include "bankshot/cuda/process/checking.hpp"
#include "bankshot/cuda/process/interrupt.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/process/timing.hpp"
#include "bankshot/cuda/process/witness.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/left_open_text.hpp"
#include "bankshot/scratchpad/transactions/tx_resources.hpp"
#include "bankshot/simt/device/device_runtime.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::cuda {
namespace {

bool is_blocking() {
  const char* value = std::getenv("CUDA_LAUNCH_BLOCKING");
  return value && std::strcmp(value, "1") == 0;
}

/// "write of 4 bytes at 0x7f…: …, at solver.cu:42", in one line.
std::string in_one_line(const simt::Fault& fault) {
  std::string text = fault.message.substr(0, fault.message.find('\n'));
  if (!fault.source.file.empty()) text += fmt::format(", at {}:{}", fault.source.file, fault.source.line);
  return text;
}

/// The engine's message with the kernel's name as in the source.
std::string for_people(const simt::Fault& fault) {
  std::string text = fault.message;
  const std::string mangled = "in kernel " + fault.kernel + ",";
  if (const size_t at = text.find(mangled); at != std::string::npos)
    text.replace(at, mangled.size(), "in kernel " + report::demangle(fault.kernel) + ",");
  return text;
}

/// What ran: on the engine alone, or simulated.
struct Ran {
  simt::LaunchStats stats;
  std::optional<timing::LaunchTiming> timing;
};

/// Warns of what a simulation leaves out, of this kernel or a function that it may call.
void tell_left_out(const simt::LoadedProgram& program, const std::string& kernel, const timing::Config& config) {
  const auto is_tensor_text = [](std::string_view text) { return text.starts_with("tcgen05"); };
  if (config.tensor_memory.product_columns != 0 || std::ranges::none_of(program.texts, is_tensor_text)) return;
  const auto is_on_tensor_memory = [&](const simt::InstrInfo& info) {
    const simt::FunctionInfo& function = program.functions[info.function];
    return (function.name == kernel || !function.is_entry) && is_tensor_text(program.texts[info.text]);
  };
  if (std::none_of(program.info.begin(), program.info.end(), is_on_tensor_memory)) return;
  say_once(
      "tcgen05",
      "tcgen05 is not timed, since the GPU's file has no [tensor_memory] (that of b200 has one): products take the "
      "wavefronts of their operands and no more, so the cycles of kernels with it are too low");
}

/// @param together  CTAs that an SM must hold at once
Result<Ran, simt::Fault> execute(Session& session, Function& function, const simt::LaunchConfig& config,
                                 uint32_t together) {
  // Before the running kernel is published: a reader may then interrupt it.
  const HeldInterrupt held;
  const auto running = session.running().begin(function.name);
  if (session.device().pageable_memory)
    session.memory().engine().set_host_ranges(mapped_host_memory(session.memory().engine()));
  if (!session.simulation()) {
    auto stats = session.engine().launch(*function.module->program, function.name, config);
    if (!stats) return stats.error();
    return Ran{std::move(*stats), std::nullopt};
  }
  tell_left_out(*function.module->program, function.name, session.simulation()->config());
  const Residents fit = occupancy_limits(session.device(), function, static_cast<uint32_t>(config.block.count()),
                                         config.dynamic_shared, together);
  auto launch = session.simulation()->launch(session.engine(), *function.module->program, function.name, config,
                                             {std::max(fit.blocks, 1u), fit.limited_by});
  if (!launch) return launch.error();
  return Ran{std::move(launch->stats), std::move(launch->timing)};
}

/// Warns on standard error where no report does: `check` tells findings only.
void tell_left_open(const simt::LaunchStats& stats) {
  if (!process_request().report_folder.empty() && checks() == nullptr) return;
  for (const simt::LeftOpenPlace& place : stats.left_open)
    say_once(simt::name(place.what),
             report::left_open_text(place) +
                 "; PTX does not define the results, docs/conformance.md describes what Bankshot does");
}

/// After Ctrl-C during a launch: ends the process, with the report as it is. Python ends itself, or goes on; if the
/// launch was stopped, with a failed context: what the launch should have computed is not there.
void end_if_interrupted(Session& session, bool stopped) {
  if (!HeldInterrupt::flag()) return;
  if (HeldInterrupt::passed_on()) {
    HeldInterrupt::forget();
    if (stopped) session.corrupt(Status::launch_failure);
    return;
  }
  session.report().stop();
  end_by_interrupt();
}

/// Puts a launch into the report; ends the process if the launch was stopped.
void record(Session& session, Function& function, const LaunchRequest& request, uint32_t together, const Ran& ran) {
  const auto threads = static_cast<uint32_t>(request.block.count());
  const report::KernelFacts facts{registers_for(session.device(), function, threads, together), function.registers != 0,
                                  function.machine_code};
  std::optional<ReportFile::Simulated> simulated;
  if (ran.timing) simulated.emplace(session.simulation()->config(), *ran.timing);
  session.report().add(session.gpu(), function.name, function.module->id, request.grid, request.block, ran.stats, facts,
                       simulated ? &*simulated : nullptr);
  const bool is_over = ran.timing && session.simulation()->is_over(*ran.timing);
  if (is_over && !HeldInterrupt::passed_on()) session.simulation()->end_process(session.report());
  end_if_interrupted(session, ran.timing ? ran.timing->partial : ran.stats.stopped);
}

/// Runs the kernel. @param launched  receives the launches that it made @return as launch()
Status run(Session& session, Function& function, const LaunchRequest& request,
           std::vector<simt::DeviceLaunch>& launched) {
  const auto params = pack(*function.info, request);
  simt::LaunchConfig config;
  config.grid = request.grid;
  config.block = request.block;
  config.dynamic_shared = static_cast<uint32_t>(request.dynamic_shared);
  config.params = params;
  config.cooperative = request.cooperative;
  config.cluster = cluster_of(*function.info, request);
  config.explicit_cluster = has_cluster(*function.info, request);
  if (const GraphNodeContext* const node = session.work().graph_node) {
    config.graph = node->device_graph;
    config.graphs = node->launchable;
  }
  record_launch(session.memory().engine(), *function.module->program, *function.info, function.module->id.digest,
                config);
  session.progress().begin(function.name, request.grid.count());
  if (Witness* witness = Witness::get())
    witness->launched(function.name, request.grid, request.block, request.dynamic_shared);
  const auto start = std::chrono::steady_clock::now();
  const uint32_t together = ctas_together(session.device(), request.grid, request.cooperative);
  auto ran = execute(session, function, config, together);
  if (ran) {
    if (Witness* witness = Witness::get()) witness->ran(session.memory().engine());
    time_launch(function.name, ran->stats, std::chrono::steady_clock::now() - start);
    if (!process_request().tell_compiled) ran->stats.compiled.reset();  // the report is the same with timings
    if (!ran->stats.compiler_fault.empty())
      say_once("compiler", "warning: kernels are interpreted, which is slower, because they cannot be compiled: " +
                               ran->stats.compiler_fault);
    record(session, function, request, together, *ran);
    tell_left_open(ran->stats);
    launched = ran->stats.launched;
    return Status::success;
  }
  say(for_people(ran.error()));
  if (simt::Checks* const all = checks()) all->faulted(ran.error());
  const Status status = status_of(ran.error().kind);
  session.corrupt(status);
  launch_failed(session, function.name, status, in_one_line(ran.error()), Telling::told_already);
  end_if_interrupted(session, false);
  return is_blocking() ? status : Status::success;
}

/// Of a launch by a kernel what a launch by the host has, too; null and told if it cannot be.
Function* launchable(Session& session, Module& module, const simt::DeviceLaunch& launch, LaunchRequest& request) {
  request.grid = launch.grid;
  request.block = launch.block;
  request.dynamic_shared = launch.dynamic_shared;
  request.packed = launch.params;
  Function* const function = find_function(module, launch.kernel);
  const auto refusal = function ? refusal_of(session.device(), *function, request)
                                : Refusal{Status::invalid_device_function, "its module does not contain it"};
  if (!refusal) return function;
  launch_failed(session, launch.kernel, refusal->status, "launched by a kernel: " + refusal->reason, Telling::tell);
  session.corrupt(Status::launch_failure);
  return nullptr;
}

/// A copy or fill by a kernel. @return false if it cannot be: told, and the context is corrupt
bool transfer(Session& session, const simt::DeviceLaunch& launch) {
  simt::DeviceTransfer what;
  std::memcpy(&what, launch.params.data(), sizeof what);
  const Extent extent{what.bytes, 1, 1};
  const Region to{what.to, what.bytes, 0, Side::device}, from{what.from, what.bytes, 0, Side::device};
  const Status status = what.fills != 0 ? fill(session.memory().engine(), to, extent, static_cast<uint32_t>(what.value))
                                        : copy(session.memory().engine(), to, from, extent);
  if (status == Status::success) return true;
  say(fmt::format("a kernel requested a copy of {} bytes that is not possible", what.bytes));
  session.corrupt(Status::illegal_address);
  return false;
}

/// Runs the kernel, and what it launches: in order, each with all that it launches in its turn, tails behind all
/// others. A grid has ended when all of these have. Source: CUDA C++ Programming Guide, "CUDA dynamic parallelism",
/// parent and child grids.
Status run_all(Session& session, Function& function, const LaunchRequest& request) {
  std::vector<simt::DeviceLaunch> launched, waiting;
  const auto wait = [&] {
    std::stable_partition(launched.begin(), launched.end(), [](const auto& launch) { return !launch.tail; });
    waiting.insert(waiting.end(), std::make_move_iterator(launched.rbegin()), std::make_move_iterator(launched.rend()));
    launched.clear();
  };
  Status status = run(session, function, request, launched);
  for (wait(); status == Status::success && !waiting.empty(); wait()) {
    const simt::DeviceLaunch next = std::move(waiting.back());
    waiting.pop_back();
    if (next.graph != 0) {
      session.work().graph_node->launched.push_back(next);
      continue;
    }
    if (next.kernel.empty()) {
      if (!transfer(session, next)) break;
      continue;
    }
    LaunchRequest child;
    Function* const kernel = launchable(session, *function.module, next, child);
    if (kernel == nullptr || session.corrupted() != Status::success) break;
    status = run(session, *kernel, child, launched);
  }
  return status;
}

}  // namespace

Status launch(Session& session, Function& function, void* stream, const LaunchRequest& request) {
  const auto failed = [&](Status status, std::string_view reason, Telling telling = Telling::tell) {
    return launch_failed(session, function.name, status, reason, telling);
  };
  if (session.is_forked())
    return failed(
        Status::not_initialized,
        "after fork: CUDA is initialised in the parent of this process only; fork before the first CUDA call");
  if (const Status status = session.open(); status != Status::success)
    return failed(status, session.corrupted() != Status::success ? "an earlier kernel failed" : "there is no GPU",
                  Telling::told_already);
  Stream* capturing = nullptr;
  if (const Status status = before_work(session.work(), stream, capturing); status != Status::success)
    return failed(status, status == Status::invalid_handle ? "its stream does not exist"
                                                           : "a stream capture forbids it, or is invalid");
  if (request.event && !session.work().events.find(request.event))
    return failed(Status::invalid_handle, "its event does not exist");
  if (capturing) {
    const Status status = capture(session.work(), *capturing, kernel_work(session, function, request));
    return status == Status::success && request.event
               ? record_event(session.work(), request.event, stream, 0, session.now())
               : status;
  }
  const bool told_by_load = function.module->state != Module::State::failed;
  if (const Status status = load(session.load_target(), function); status != Status::success)
    return failed(status, function.module->log, told_by_load ? Telling::told_already : Telling::tell);
  if (!function.info) return failed(Status::invalid_device_function, "its module's PTX does not contain it");
  if (const auto refusal = refusal_of(session.device(), function, request))
    return failed(refusal->status, refusal->reason);
  if (const std::string& caveat = function.module->caveat; !caveat.empty()) say_once(caveat, caveat);
  try {
    const Status status = run_all(session, function, request);
    return status == Status::success && request.event
               ? record_event(session.work(), request.event, stream, 0, session.now())
               : status;
  } catch (const std::bad_alloc&) {
    session.progress().end();
    return failed(Status::out_of_memory, "the host does not have enough memory for it");
  }
}

}  // namespace bankshot::cuda
