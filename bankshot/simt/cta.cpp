#include "bankshot/simt/cta.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstring>
#include <new>

#include "bankshot/simt/control.hpp"
#include "bankshot/simt/paths.hpp"

namespace bankshot::simt {
namespace {

using State = Path::State;

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

bool ready(const Warp& w) {
  for (const Path& path : w.paths) {
    if (path.state == State::ready) return true;
  }
  return false;
}

/// One turn of a warp: from the ready path that comes after the last one, until it blocks, yields or ends.
void run(Warp& w) {
  const auto count = static_cast<int32_t>(w.paths.size());
  for (int32_t k = 1; k <= count; ++k) {
    const int32_t index = (w.current + k) % count;
    if (w.paths[index].state != State::ready) continue;
    w.polls = kPollsPerTurn;
    const Instr* i = resume(w, index);
    while (i != nullptr) i = i->run(w, i);
    return;
  }
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
  const Source source = program.source_of(i);
  std::string text = program.texts[program.info_of(i).text];
  if (!source.file.empty()) return text + " (" + source.file + ":" + std::to_string(source.line) + ")";
  return text + " (PTX line " + std::to_string(source.ptx_line) + ")";
}

}  // namespace

Arena::~Arena() {
  if (start_ != nullptr) munmap(start_, bytes_);
}

std::byte* Arena::reserve(size_t bytes) {
  bytes = round_up(bytes + 1, 1 << 16);
  if (bytes <= bytes_) return start_;
  if (start_ != nullptr) munmap(start_, bytes_);
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  start_ = static_cast<std::byte*>(start);
  bytes_ = bytes;
  return start_;
}

void CtaSlot::prepare(Worker& worker) {
  worker_ = &worker;
  const Launch& launch = *worker.launch;
  const LoadedProgram& program = *worker.program;
  const FunctionInfo& kernel = program.functions[launch.function];
  const auto threads = static_cast<uint32_t>(launch.config->block.count());
  const uint32_t warps = (threads + worker.warp_size - 1) / worker.warp_size;
  register_bytes_ = kernel.register_bytes;
  std::byte* const registers = registers_.reserve(worker.register_stack * warps);
  std::byte* const local = local_.reserve(worker.local_stack * program.lanes * warps);
  std::byte* const specials = specials_.reserve(size_t{program.special_bytes} * warps);
  cta_.shared = shared_.reserve(launch.shared_bytes);
  cta_.shared_bytes = launch.shared_bytes;
  cta_.threads = threads;
  cta_.warps.resize(warps);
  for (uint32_t k = 0; k < warps; ++k) {
    Warp& w = cta_.warps[k];
    w.worker = &worker;
    w.cta = &cta_;
    w.index = k;
    w.registers = registers + worker.register_stack * k;
    w.local = local + worker.local_stack * program.lanes * k;
    w.specials = specials + size_t{program.special_bytes} * k;
    w.base[1] = const_cast<std::byte*>(program.constants.data());
    w.base[2] = w.specials;
    fill_specials(w, true);
  }
}

void CtaSlot::start(uint64_t linear) {
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
  for (Barrier& barrier : cta_.barriers) barrier = Barrier{};
  // Unwritten registers and shared memory must not show what an earlier CTA left: results would depend on the host.
  if (cta_.shared_bytes != 0) std::memset(cta_.shared, 0, cta_.shared_bytes);
  for (Warp& w : cta_.warps) {
    std::memset(w.registers, 0, register_bytes_);
    const uint32_t threads = std::min(worker_->warp_size, cta_.threads - w.index * worker_->warp_size);
    w.alive = threads == 64 ? ~uint64_t{0} : (uint64_t{1} << threads) - 1;
    w.done = w.yielded = w.gathered = false;
    w.carry = 0;
    w.current = 0;
    w.paths.resize(1);
    Path& path = w.paths[0];
    path.state = State::ready;
    path.parent = -1;
    path.children = 0;
    path.mask = w.alive;
    path.arrived = 0;
    path.pc = program.code.data() + program.functions[worker_->launch->function].begin;
    path.reconverge = nullptr;
    path.registers = path.local = 0;
    path.function = worker_->launch->function;
    path.frames.clear();
    fill_specials(w, false);
  }
}

CtaSlot::Turn CtaSlot::turn() {
  bool ran = false;
  for (Warp& w : cta_.warps) {
    if (w.done || !ready(w)) continue;
    run(w);
    ran = true;
    if (cta_.faulted) return Turn::faulted;
  }
  if (cta_.live_warps == 0) return Turn::done;
  if (ran) return Turn::waiting;
  // Everything is blocked. Lanes that stand at a join may be what a barrier waits for.
  bool released = false;
  for (Warp& w : cta_.warps) released |= !w.done && release_waiting(w);
  if (released) return Turn::waiting;
  report_deadlock();
  return Turn::faulted;
}

void CtaSlot::report_deadlock() {
  const LoadedProgram& program = *worker_->program;
  std::string where;
  bool at_barrier = false;
  const Instr* first = nullptr;
  Warp* first_warp = nullptr;
  size_t listed = 0;
  for (Warp& w : cta_.warps) {
    for (const Path& path : w.paths) {
      if (path.state != State::at_barrier && path.state != State::at_warp_sync) continue;
      at_barrier |= path.state == State::at_barrier;
      const Instr* const i = path.state == State::at_barrier ? path.pc - 1 : path.pc;
      if (first == nullptr) {
        first = i;
        first_warp = &w;
        w.active = path.mask;
      }
      if (++listed > 8) continue;
      where += "\n  warp " + std::to_string(w.index) + " lanes " + lanes_text(path.mask) + " at " + place_text(program, i);
    }
  }
  if (listed > 8) where += "\n  and " + std::to_string(listed - 8) + " more";
  if (first == nullptr) return;
  fault(*first_warp, first, at_barrier ? Fault::Kind::divergent_barrier : Fault::Kind::deadlock,
        std::countr_zero(first_warp->active), 0,
        std::string(at_barrier ? "divergent barrier: " : "deadlock: ") + "all live warps of the CTA are blocked" + where);
}

void CtaSlot::fill_specials(Warp& w, bool per_launch) {
  const LaunchConfig& config = *worker_->launch->config;
  const uint32_t lanes = worker_->program->lanes;
  const Dim3 block = config.block, grid = config.grid;
  const auto fill = [&](const SpecialUse& use, auto value_of_lane) {
    std::byte* const row = w.specials + (use.op & OperandRef::kOffset);
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const uint64_t value = value_of_lane(lane);
      std::memcpy(row + size_t{lane} * use.bytes, &value, use.bytes);
    }
  };
  const auto same = [](uint64_t value) { return [value](uint32_t) { return value; }; };
  const uint32_t first = w.index * worker_->warp_size;
  for (const SpecialUse& use : worker_->program->specials) {
    const std::string& name = use.name;
    if (name.starts_with("%ctaid")) {
      if (per_launch) continue;
      fill(use, same(name.back() == 'x' ? cta_.index.x : name.back() == 'y' ? cta_.index.y
                     : name.back() == 'z' ? cta_.index.z : 0));
    } else if (name.starts_with("%clusterid")) {  // every CTA is a cluster of one
      if (per_launch) continue;
      fill(use, same(name.back() == 'x' ? cta_.index.x : name.back() == 'y' ? cta_.index.y : cta_.index.z));
    } else if (name == "%smid") {
      if (!per_launch) fill(use, same(cta_.linear % worker_->sms));
    } else if (!per_launch) {
      continue;
    } else if (name == "%tid.x") {
      fill(use, [&](uint32_t lane) { return (first + lane) % block.x; });
    } else if (name == "%tid.y") {
      fill(use, [&](uint32_t lane) { return (first + lane) / block.x % block.y; });
    } else if (name == "%tid.z") {
      fill(use, [&](uint32_t lane) { return (first + lane) / block.x / block.y; });
    } else if (name.starts_with("%ntid")) {
      fill(use, same(name.back() == 'x' ? block.x : name.back() == 'y' ? block.y : name.back() == 'z' ? block.z : 0));
    } else if (name.starts_with("%nctaid") || name.starts_with("%nclusterid")) {
      fill(use, same(name.back() == 'x' ? grid.x : name.back() == 'y' ? grid.y : name.back() == 'z' ? grid.z : 0));
    } else if (name == "%laneid") {
      fill(use, [](uint32_t lane) { return lane; });
    } else if (name == "%warpid") {
      fill(use, same(w.index));
    } else if (name == "%nwarpid") {
      fill(use, same(cta_.warps.size()));
    } else if (name == "%nsmid") {
      fill(use, same(worker_->sms));
    } else if (name == "%lanemask_eq") {
      fill(use, [](uint32_t lane) { return uint64_t{1} << lane; });
    } else if (name == "%lanemask_le") {
      fill(use, [](uint32_t lane) { return (uint64_t{2} << lane) - 1; });
    } else if (name == "%lanemask_lt") {
      fill(use, [](uint32_t lane) { return (uint64_t{1} << lane) - 1; });
    } else if (name == "%lanemask_ge") {
      fill(use, [](uint32_t lane) { return ~((uint64_t{1} << lane) - 1); });
    } else if (name == "%lanemask_gt") {
      fill(use, [](uint32_t lane) { return ~((uint64_t{2} << lane) - 1); });
    } else if (name == "%dynamic_smem_size") {
      fill(use, same(config.dynamic_shared));
    } else if (name == "%total_smem_size" || name == "%aggr_smem_size") {
      fill(use, same(cta_.shared_bytes));
    } else if (name.starts_with("%cluster_nctaid") || name == "%cluster_nctarank") {
      fill(use, same(1));
    } else {  // %tid.w, %gridid, %cluster_ctaid …, clocks (refreshed when read)
      fill(use, same(0));
    }
  }
}

}  // namespace bankshot::simt
