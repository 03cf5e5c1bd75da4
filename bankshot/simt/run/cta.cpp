#include "bankshot/simt/run/cta.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/native.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/control/warpgroup.hpp"
#include "bankshot/simt/memory/zero_pages.hpp"
#include "bankshot/simt/run/special_values.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

using State = Path::State;

/// The ready path that comes after the one that ran last, or -1.
int32_t next_ready(const Warp& w) {
  const auto count = static_cast<int32_t>(w.paths.size());
  int32_t index = w.current;
  for (int32_t k = 0; k < count; ++k) {
    if (++index >= count) index = 0;
    if (w.paths[static_cast<size_t>(index)].state == State::ready) return index;
  }
  return -1;
}
bool ready(const Warp& w) { return next_ready(w) >= 0; }

/// A path that has failed its test this often in a row waits permanently if every other path of the cluster is blocked
/// or has, too: within 64 turns every path of a warp has had one.
constexpr uint32_t kIdleTurns = 128;

/// One turn of a warp: a ready path, until it blocks, yields or ends.
void run(Warp& w, int32_t path) {
  w.polls = kPollsPerTurn;
  w.loops = kLoopsPerTurn;
  const Instr* i = enter(w, resume(w, path));
  while (i != nullptr) i = i->run(w, i);
}

std::string lanes_text(uint64_t mask) {
  std::string text;
  for (int lane = 0; lane < 64; ++lane) {
    if (!(mask >> lane & 1)) continue;
    int last = lane;
    while (last < 63 && (mask >> (last + 1) & 1)) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(lane) + (last > lane ? "-" + std::to_string(last) : "");
    lane = last;
  }
  return text;
}

std::string place_text(const LoadedProgram& program, const Instr* i) {
  return program.texts[program.info_of(i).text] + " (" + program.place_of(i) + ")";
}

}  // namespace

void CtaSlot::prepare(Worker& worker) {
  worker_ = &worker;
  const Launch& launch = *worker.launch;
  const LoadedProgram& program = *worker.program;
  kernel_ = &program.functions[launch.function];
  const auto threads = static_cast<uint32_t>(launch.config->block.count());
  const uint32_t warps = (threads + worker.warp_size - 1) / worker.warp_size;
  std::byte* const registers = registers_.reserve(worker.register_stack * warps);
  std::byte* const local = local_.reserve(worker.local_stack * program.lanes * warps);
  std::byte* const specials = specials_.reserve(size_t{program.special_bytes} * warps);
  cta_special_rows_ = cta_specials_.reserve(program.cta_special_bytes);
  filled_window_.reset();
  cta_.shared = shared_.reserve(round_up(launch.shared_bytes, kSharedUnit));
  cta_.shared_bytes = launch.shared_bytes;
  cta_.threads = threads;
  cta_.warps.resize(warps);
  if (!alone_) alone_ = std::make_shared<Cluster>();
  for (uint32_t k = 0; k < warps; ++k) {
    Warp& w = cta_.warps[k];
    w.worker = &worker;
    w.cta = &cta_;
    w.index = k;
    w.registers = registers + worker.register_stack * k;
    w.local = local + worker.local_stack * program.lanes * k;
    w.specials = specials + size_t{program.special_bytes} * k;
    w.base[1] = program.constant_rows;
    w.base[2] = w.specials;
    w.base[3] = cta_special_rows_;
    w.stack_used.fill(0);
  }
  fill_warp_specials();
}

void CtaSlot::start(uint64_t linear, std::shared_ptr<Cluster> cluster) {
  const Dim3 grid = worker_->launch->config->grid;
  const LoadedProgram& program = *worker_->program;
  cta_.linear = linear;
  cta_.index = {static_cast<uint32_t>(linear % grid.x), static_cast<uint32_t>(linear / grid.x % grid.y),
                static_cast<uint32_t>(linear / grid.x / grid.y)};
  cta_.exited = 0;
  cta_.live_warps = static_cast<uint32_t>(cta_.warps.size());
  cta_.faulted = false;
  cta_.clock_base = worker_->parallel ? worker_->warp_instructions : 0;
  cta_.output.clear();
  cta_.has_transactions = false;
  cta_.alone = nullptr;
  cta_.checks = nullptr;
  cta_.writers.start(worker_->tiles ? cta_.shared_bytes : 0);
  cta_.tensor_memory = nullptr;
  cta_.cluster_news = false;
  cta_.rank = cluster == nullptr ? 0 : in_cluster(*worker_->launch, cta_.index).rank;
  if (cluster == nullptr) {
    std::vector<Cta*> one = std::move(alone_->ctas);  // keeps its memory
    one.assign(1, nullptr);
    *alone_ = {.ctas = std::move(one)};
  }
  std::shared_ptr<Cluster>& joins = cluster == nullptr ? alone_ : cluster;
  if (cta_.cluster != joins) cta_.cluster = joins;
  cta_.cluster->ctas[cta_.rank] = &cta_;
  cta_.own_window = cta_.cluster->ctas.size() > 1 ? static_cast<uint32_t>(in_rank(cta_.rank, 0)) : 0;
  for (; cta_.barriers_in_use != 0; cta_.barriers_in_use &= cta_.barriers_in_use - 1)
    cta_.barriers[std::countr_zero(cta_.barriers_in_use)] = Barrier{};
  fill_cta_specials();
  // Unwritten registers and memory must not show what an earlier CTA left: results would depend on the host.
  if (cta_.shared_bytes != 0) zero_pages(cta_.shared, round_up(cta_.shared_bytes, kSharedUnit));
  const bool uses_stack = kernel_->has_calls || kernel_->has_alloca;
  for (Warp& w : cta_.warps) {
    for (const FunctionInfo::Register& r : kernel_->unwritten) std::memset(w.registers + r.offset, 0, r.bytes);
    if (kernel_->local_bytes != 0) zero_pages(w.local, size_t{kernel_->local_bytes} * program.lanes);
    const uint32_t threads = std::min(worker_->warp_size, cta_.threads - w.index * worker_->warp_size);
    w.alive = threads == 64 ? ~uint64_t{0} : (uint64_t{1} << threads) - 1;
    w.done = w.yielded = w.displaced = false;
    w.native = nullptr;
    w.tx.path = -1;
    w.tx.queue.clear();
    w.carry = 0;
    w.cluster_arrived = w.cluster_odd = 0;
    if (uses_stack) w.stack_used.fill(0);
    w.current = 0;
    w.paths.resize(1);
    Path& path = w.paths[0];
    path.state = State::ready;
    path.parent = -1;
    path.children = 0;
    path.mask = w.alive;
    path.arrived = path.wait_mask = 0;
    path.stale_turns = path.idle_turns = 0;
    path.pc = program.code.data() + program.functions[worker_->launch->function].begin;
    path.reconverge = nullptr;
    path.registers = path.local = 0;
    path.function = worker_->launch->function;
    path.frames.clear();
  }
}

CtaSlot::Turn CtaSlot::turn(const std::atomic<bool>* stop) {
  bool ran = false;
  bool only_polled = true;
  for (Warp& w : cta_.warps) {
    const int32_t path = w.done ? -1 : next_ready(w);
    if (path < 0) continue;
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return Turn::waiting;
    w.yielded = false;
    run(w, path);
    ran = true;
    only_polled &= w.yielded;
    if (cta_.faulted) return Turn::faulted;
  }
  if (cta_.live_warps == 0) {
    leave_cluster();
    return Turn::done;
  }
  if (!only_polled) return Turn::waiting;
  // All that is not blocked polls. Lanes that stand at a join of a blocked warp may be what it waits for.
  if (release() || (ran && !waits_for_good())) return Turn::waiting;
  if (cta_.cluster->ctas.size() > 1) return Turn::blocked;
  report_deadlock();
  return Turn::faulted;
}

bool CtaSlot::waits_for_good() const {
  return std::ranges::all_of(cta_.warps, [](const Warp& w) {
    return w.done || std::ranges::all_of(w.paths, [](const Path& path) {
             return path.state != State::ready || path.idle_turns >= kIdleTurns;
           });
  });
}

void CtaSlot::leave_cluster() { cta_.cluster->ctas[cta_.rank] = nullptr; }

bool CtaSlot::release() {
  bool released = false;
  for (Warp& w : cta_.warps) released |= !w.done && !ready(w) && release_waiting(w);
  return released;
}

bool CtaSlot::release_or_fault() {
  if (release()) return true;
  report_deadlock();
  return false;
}

void CtaSlot::report_deadlock() {
  constexpr size_t kMostListed = 8;
  const LoadedProgram& program = *worker_->program;
  std::string where;
  bool at_barrier = false, polling = false;
  const Instr* told = nullptr;  // the first that polls, or else that is blocked
  Warp* told_warp = nullptr;
  int told_lane = 0;
  size_t listed = 0;
  for (Warp& w : cta_.warps) {
    for (const Path& path : w.paths) {
      const bool polls = path.state == State::ready;
      if (w.done || path.state == State::free || path.state == State::inner || (polls && path.idle_turns == 0))
        continue;
      const bool waits_before =
          path.state == State::at_warp_sync || path.state == State::at_transaction || path.state == State::at_aligned;
      const Instr* const i = waits_before ? path.pc : path.pc - 1;
      at_barrier |= path.state == State::at_barrier;
      w.active = path.mask;
      w.base[0] = w.registers + path.registers;
      if (path.state == State::at_warpgroup) {
        if (const std::string why = never_together(w, i); !why.empty())
          return void(fault(w, i, Fault::Kind::partial_warp, -1, 0, why));
      }
      if (told == nullptr || (polls && !polling)) {
        told = i;
        told_warp = &w;
        told_lane = std::countr_zero(path.mask);
      }
      polling |= polls;
      if (++listed > kMostListed) continue;
      where +=
          "\n  warp " + std::to_string(w.index) + " lanes " + lanes_text(path.mask) + " at " + place_text(program, i);
      if (polls) where += ", which waits for " + waited_for(w, i);
    }
  }
  if (listed > kMostListed) where += "\n  and " + std::to_string(listed - kMostListed) + " more";
  if (told == nullptr) return;
  const bool divergent = at_barrier && !polling;
  fault(
      *told_warp, told, divergent ? Fault::Kind::divergent_barrier : Fault::Kind::deadlock, told_lane, 0,
      std::string(divergent ? "divergent barrier: " : "deadlock: ") + "all live warps of the CTA are blocked" + where);
}

uint32_t CtaSlot::cta_special(const std::string& name) const {
  if (name == "%smid") return static_cast<uint32_t>(worker_->sm >= 0 ? worker_->sm : cta_.linear % worker_->sms);
  if (name == "%cluster_ctarank") return cta_.rank;
  if (name == kOwnShared) return cta_.own_window;
  if (name == kOwnDynamicShared) return cta_.own_window + worker_->launch->kernel->dynamic_base;
  const bool place = name.starts_with("%cluster_ctaid"), cluster = name.starts_with("%clusterid");
  if (!place && !cluster) return along(cta_.index, name.back());
  const InCluster in = in_cluster(*worker_->launch, cta_.index);
  return along(place ? in.place : in.cluster, name.back());
}

void CtaSlot::fill_cta_specials() {
  const bool same_window = std::exchange(filled_window_, cta_.own_window) == cta_.own_window;
  for (const SpecialUse& use : worker_->program->specials) {
    if (!use.per_cta || (same_window && (use.name == kOwnShared || use.name == kOwnDynamicShared))) continue;
    const uint64_t value = cta_special(use.name) + use.add;
    std::byte* const row = cta_special_rows_ + (use.op & OperandRef::kOffset);
    const uint32_t lanes = worker_->program->lanes;
    if (use.bytes == 8) {
      std::fill_n(reinterpret_cast<uint64_t*>(row), lanes, value);
    } else if (use.bytes == 4) {
      std::fill_n(reinterpret_cast<uint32_t*>(row), lanes, static_cast<uint32_t>(value));
    } else {
      std::fill_n(reinterpret_cast<uint16_t*>(row), lanes, static_cast<uint16_t>(value));
    }
  }
}

void CtaSlot::fill_warp_specials() {
  for (const SpecialUse& use : worker_->program->specials) {
    if (use.per_cta) continue;
    const SpecialValue value = special_value(use.name);
    for (Warp& w : cta_.warps) {
      std::byte* const row = w.specials + (use.op & OperandRef::kOffset);
      for (uint32_t lane = 0; lane < worker_->program->lanes; ++lane) {
        const uint64_t bits = value({*worker_, cta_, w.index, use.name}, lane) + use.add;
        std::memcpy(row + size_t{lane} * use.bytes, &bits, use.bytes);
      }
    }
  }
}

}  // namespace bankshot::simt
