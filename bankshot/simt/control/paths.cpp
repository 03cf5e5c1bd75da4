#include "bankshot/simt/control/paths.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/native.hpp"
#include "bankshot/simt/control/stack.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {
namespace {

using State = Path::State;

int32_t new_path(Warp& w) {
  for (size_t k = 0; k < w.paths.size(); ++k) {
    if (w.paths[k].state == State::free) return static_cast<int32_t>(k);
  }
  w.paths.emplace_back();
  return static_cast<int32_t>(w.paths.size()) - 1;
}

/// Copies words of the interleaved local memory for some lanes.
void copy_local(Warp& w, uint64_t mask, uint32_t from, uint32_t to, uint32_t bytes) {
  const unsigned lanes = w.worker->program->lanes;
  for (uint32_t word = 0; word < (bytes + 3) / 4; ++word) {
    const auto* source = reinterpret_cast<const uint32_t*>(w.local) + (from / 4 + word) * lanes;
    auto* target = reinterpret_cast<uint32_t*>(w.local) + (to / 4 + word) * lanes;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      target[lane] = source[lane];
    }
  }
}

bool complete(const Cta& cta, const Barrier& barrier) {
  return barrier.expected != 0 ? barrier.arrived >= barrier.expected : barrier.arrived + cta.exited >= cta.threads;
}

/// The result of a bar.red goes into the waiting path's own registers.
void write_reduction(Warp& w, const Path& path, const Barrier& barrier) {
  const Instr* const i = path.pc - 1;
  if (i->small < kBarrierRedPopc || i->op[2] == OperandRef::kNone) return;
  std::byte* const at = w.registers + path.registers + (i->op[2] & OperandRef::kOffset);
  if (i->small == kBarrierRedPopc) {
    auto* row = reinterpret_cast<uint32_t*>(at);
    for (uint64_t rest = path.mask; rest != 0; rest &= rest - 1) {
      row[std::countr_zero(rest)] = static_cast<uint32_t>(barrier.red_count);
    }
  } else {
    auto& predicate = *reinterpret_cast<uint64_t*>(at);
    const bool value = i->small == kBarrierRedAnd ? barrier.red_and != 0 : barrier.red_or != 0;
    predicate = (predicate & ~path.mask) | (value ? path.mask : 0);
  }
}

}  // namespace

void save(Warp& w, const Instr* next) { w.paths[w.current].pc = next; }

const Instr* resume(Warp& w, int32_t index) {
  Path& path = w.paths[index];
  w.current = index;
  w.active = path.mask;
  w.base[0] = w.registers + path.registers;
  w.local_frame = path.local;
  w.awaited = 0;
  for (int32_t k = index; k >= 0; k = w.paths[k].parent) w.awaited |= bit_of_join(w.paths[k].reconverge);
  path.wait_mask = 0;
  return w.segment = std::exchange(path.pc, nullptr);
}

bool any_may_come(const Warp& w) {
  const auto may_come = [](const Path& path) {
    return path.state == State::ready || path.state == State::at_barrier || path.state == State::at_cluster_barrier ||
           path.state == State::at_warpgroup || path.state == State::at_transaction;
  };
  return w.tx.commit_waits || std::ranges::any_of(w.paths, may_come);
}

void look_again(Warp& w, Path::State state) {
  for (Path& path : w.paths) {
    if (path.state == state) path.state = State::ready;
  }
}

/// The same for a warp that has several, or lanes that wait for each other.
[[gnu::noinline]] static const Instr* next_of_many(Warp& w) {
  while (w.paths.size() > 1 && w.paths.back().state == State::free) w.paths.pop_back();
  w.current = std::min(w.current, static_cast<int32_t>(w.paths.size()) - 1);  // turns go on from the first path
  do {
    for (int32_t k = static_cast<int32_t>(w.paths.size()) - 1; k >= 0; --k) {
      if (w.paths[k].state == State::ready) return resume(w, k);
    }
    // Lanes of this warp that wait for each other at a warp-wide instruction cannot be freed by another warp: what
    // they wait for stands at a join.
    const bool stuck = std::ranges::any_of(w.paths, [](const Path& p) { return p.state == State::at_warp_sync; });
    if (stuck && release_waiting(w)) continue;
    if (any_may_come(w)) return nullptr;
    look_again(w, State::at_aligned);  // it is a fault
  } while (std::ranges::any_of(w.paths, [](const Path& p) { return p.state == State::ready; }));
  return nullptr;
}

const Instr* next_path(Warp& w) {
  if (w.paths.size() != 1 || w.paths[0].state == State::at_warp_sync) return next_of_many(w);
  return w.paths[0].state == State::ready ? resume(w, 0) : nullptr;
}

void park_inner(Warp& w, int32_t index, const Instr* join) {
  Path& path = w.paths[index];
  path.state = State::inner;
  path.pc = join + 1;  // the pseudo instruction at the join has been executed by the children
  path.arrived = path.stale = 0;
  path.stale_turns = path.idle_turns = 0;
  path.children = 0;
}

int32_t add_child(Warp& w, int32_t parent, uint64_t mask, const Instr* pc, const Instr* join, uint32_t depth) {
  const int32_t index = new_path(w);
  const Path& from = w.paths[parent];
  Path& path = w.paths[index];
  path.state = State::ready;
  path.parent = parent;
  path.children = 0;
  path.mask = mask;
  path.arrived = path.wait_mask = 0;
  path.idle_turns = 0;
  path.pc = pc;
  path.reconverge = join;
  path.reconverge_depth = depth;
  path.registers = from.registers;
  path.local = from.local;
  path.function = from.function;
  path.frames = from.frames;
  ++w.paths[parent].children;
  return index;
}

int32_t add_sibling(Warp& w, int32_t index, uint64_t mask, const Instr* pc) {
  const int32_t added = new_path(w);
  Path copy = w.paths[index];
  copy.state = State::ready;
  copy.children = 0;
  copy.mask = mask;
  copy.arrived = copy.wait_mask = 0;
  copy.idle_turns = 0;
  copy.pc = pc;
  w.paths[added] = std::move(copy);
  if (w.paths[added].parent >= 0) ++w.paths[w.paths[added].parent].children;
  return added;
}

void remove_child(Warp& w, int32_t index) {
  const int32_t parent = w.paths[index].parent;
  w.paths[index].state = State::free;
  if (parent < 0) return;
  Path& above = w.paths[parent];
  if (--above.children != 0) return;
  if (parent == w.tx.path) return w.tx.ended(w);
  above.mask = above.arrived;
  above.arrived = 0;
  if (above.mask == 0) {
    remove_child(w, parent);
  } else {
    above.state = State::ready;
  }
}

namespace {

void release(Warp& w, size_t inner) {
  const uint64_t lanes = w.paths[inner].arrived;
  w.paths[inner].arrived = 0;
  if (Checker* const checks = w.worker->checks) checks->go_on(w, lanes, w.paths[inner].pc);
  add_sibling(w, static_cast<int32_t>(inner), lanes, w.paths[inner].pc);
}

bool waits(const Path& path) { return path.state == State::inner && path.arrived != 0; }

}  // namespace

bool release_waiting(Warp& w) {
  bool any = false;
  const size_t before = w.paths.size();
  for (size_t k = 0; k < before; ++k) {
    if (!waits(w.paths[k])) continue;
    release(w, k);
    any = true;
  }
  return any;
}

void release_stale(Warp& w) {
  const size_t before = w.paths.size();
  for (size_t k = 0; k < before; ++k) {
    Path& path = w.paths[k];
    if (!waits(path)) continue;
    path.stale_turns = path.stale == path.arrived ? path.stale_turns + 1 : 1;
    path.stale = path.arrived;
    if (path.stale_turns >= kStaleTurns) release(w, k);
  }
}

void reunite(Warp& w) {
  if (w.paths.size() == 1 || w.tx.path >= 0) return;
  const Path* first = nullptr;
  uint64_t together = 0;
  for (const Path& path : w.paths) {
    if (path.state == State::free || path.state == State::inner) continue;
    if (path.state != State::ready && path.state != State::at_aligned) return;
    if (first == nullptr) first = &path;
    if (path.pc != first->pc || path.registers != first->registers || path.frames != first->frames) return;
    together |= path.mask;
  }
  if (first == nullptr || first->mask == together || together != w.alive) return;
  Path one = *first;
  one.state = State::ready;
  one.parent = -1;
  one.children = 0;
  one.mask = together;
  one.arrived = one.wait_mask = 0;
  one.idle_turns = 0;
  one.reconverge = nullptr;
  for (Path& path : w.paths) path.state = State::free;
  w.paths[0] = std::move(one);
  w.current = 0;
}

const Instr* let_others_run(Warp& w, const Instr* next) {
  if (next != w.segment) count(w, next - 1, w.paths[w.current].mask);
  save(w, next);
  w.polls = kPollsPerTurn;
  w.yielded = true;
  return nullptr;
}

const Instr* yield_slow(Warp& w, const Instr* next) {
  let_others_run(w, next);
  release_stale(w);
  return nullptr;
}

void check_barriers(Cta& cta) {
  for (uint32_t rest = cta.barriers_in_use; rest != 0; rest &= rest - 1) {
    const auto n = static_cast<unsigned>(std::countr_zero(rest));
    Barrier& barrier = cta.barriers[n];
    if (!complete(cta, barrier)) continue;
    if (Checker* const checks = cta.warps[0].worker->checks) checks->completes(cta, n, barrier.expected == 0);
    for (Warp& w : cta.warps) {
      bool any = false;
      for (Path& path : w.paths) {
        if (path.state != State::at_barrier || path.barrier != n) continue;
        write_reduction(w, path, barrier);
        path.state = State::ready;
        any = true;
      }
      if (any) reunite(w);
    }
    barrier = Barrier{};
    cta.barriers_in_use &= ~(uint32_t{1} << n);
  }
}

/// The active lanes that name the same barrier and count as the first one: barrier.sync takes its operands by thread.
[[gnu::noinline]] static uint64_t same_barrier(const Warp& w, const Instr* i) {
  uint64_t same = w.active;
  for (const uint32_t op : {i->op[0], i->op[1]}) {
    if (op == OperandRef::kNone || op >> 30 == OperandRef::kConstant >> 30) continue;
    const uint32_t* const row = w.row<const uint32_t>(op);
    const uint32_t first = row[std::countr_zero(w.active)];
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (row[lane] != first) same &= ~(uint64_t{1} << lane);
    }
  }
  return same;
}

/// Lanes that name another barrier than the first one go on by themselves.
[[gnu::noinline]] static void split_by_barrier(Warp& w, const Instr* i) {
  const uint64_t same = same_barrier(w, i);
  if (same == w.active) return;
  account_pseudo(w, i);
  add_sibling(w, w.current, w.active & ~same, i);
  w.paths[w.current].mask = w.active = same;
  w.segment = i;
}

[[gnu::noinline]] static const Instr* refuse_barrier(Warp& w, const Instr* i, int lane, uint32_t number) {
  return fault(w, i, Fault::Kind::divergent_barrier, lane, number,
               "barrier number " + std::to_string(number) + ", but a CTA has barriers 0 to 15");
}

const Instr* arrive_at_barrier(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a barrier");
  const auto is_constant = [](uint32_t op) { return op >> 30 == OperandRef::kConstant >> 30; };
  const bool counts = i->op[1] != OperandRef::kNone;
  if (!is_constant(i->op[0]) || (counts && !is_constant(i->op[1]))) split_by_barrier(w, i);
  account(w, i, i + 1);
  const int lane = std::countr_zero(w.active);
  const uint32_t number = w.row<const uint32_t>(i->op[0])[lane];
  if (number >= 16) return refuse_barrier(w, i, lane, number);
  if (w.worker->checks != nullptr) w.worker->checks->arrives(w, i, number, i->small != kBarrierArrive);
  Barrier& barrier = w.cta->barriers[number];
  uint32_t threads = lane_count(w.active);
  if (counts) {
    barrier.expected = w.row<const uint32_t>(i->op[1])[lane];
    // A count is in whole warps: a warp that arrives together counts as all its lanes, the missing ones too.
    if (w.active == w.alive) threads = w.worker->warp_size;
  }
  barrier.arrived += threads;
  w.cta->barriers_in_use |= uint32_t{1} << number;
  if (i->small >= kBarrierRedPopc) {
    const uint64_t holds = w.predicate_value(i->op[3]) & w.active;
    barrier.red_count += lane_count(holds);
    barrier.red_and &= holds == w.active;
    barrier.red_or |= holds != 0;
  }
  if (i->small == kBarrierArrive) {
    check_barriers(*w.cta);
    return i + 1;
  }
  ++barrier.waiting;
  Path& path = w.paths[w.current];
  path.pc = i + 1;
  path.state = State::at_barrier;
  path.barrier = static_cast<uint8_t>(number);
  if (complete(*w.cta, barrier)) check_barriers(*w.cta);
  return next_path(w);
}

const Instr* run_barrier(Warp& w, const Instr* i) { return enter(w, arrive_at_barrier(w, i)); }

namespace {

/// f(registers, function, caller's registers) for the frame of every call that another path has not returned from.
template <class F>
void for_other_frames(const Warp& w, F f) {
  for (size_t k = 0; k < w.paths.size(); ++k) {
    const Path& path = w.paths[k];
    if (static_cast<int32_t>(k) == w.current || path.state == State::free) continue;
    uint32_t registers = path.registers, function = path.function;
    for (auto frame = path.frames.rbegin(); frame != path.frames.rend(); ++frame) {
      f(registers, function, frame->registers);
      registers = frame->registers;
      function = frame->function;
    }
  }
}

/// Where the registers of a callee stand: behind the caller's. Lanes that are in one function share its rows, each has
/// its column; those of another function are another size, so its frames are kept clear of.
uint32_t place_registers(const Warp& w, uint32_t caller, uint32_t behind, uint32_t function) {
  const LoadedProgram& program = *w.worker->program;
  uint32_t begin = behind;
  bool shared = false;
  for_other_frames(w, [&](uint32_t registers, uint32_t other, uint32_t others_caller) {
    if (other != function || others_caller != caller) return;
    begin = registers;
    shared = true;
  });
  for (bool moved = !shared; moved;) {
    moved = false;
    for_other_frames(w, [&](uint32_t registers, uint32_t other, uint32_t) {
      const uint32_t end = registers + program.functions[other].register_bytes;
      const bool apart = registers >= begin + program.functions[function].register_bytes || end <= begin;
      if (apart || (other == function && registers == begin)) return;
      begin = end;
      moved = true;
    });
  }
  return begin;
}

/// Zeroes what lanes of a callee may read before they write it.
void clear_frame(Warp& w, const FunctionInfo& function, uint32_t registers, uint32_t local) {
  const unsigned lanes = w.worker->program->lanes;
  for (const FunctionInfo::Register& r : function.unwritten) {
    std::byte* const row = w.registers + registers + r.offset;
    if (r.predicate) {
      *reinterpret_cast<uint64_t*>(row) &= ~w.active;
      continue;
    }
    const uint32_t bytes = r.bytes / lanes;
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
      std::memset(row + static_cast<uint32_t>(std::countr_zero(rest)) * bytes, 0, bytes);
    }
  }
  auto* const words = reinterpret_cast<uint32_t*>(w.local);
  for (uint32_t word = local / 4; word < (local + function.local_bytes) / 4; ++word) {
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
      words[word * lanes + static_cast<uint32_t>(std::countr_zero(rest))] = 0;
    }
  }
}

}  // namespace

const Instr* enter_function(Warp& w, const Instr* i, const CallInfo& call, uint32_t function) {
  const LoadedProgram& program = *w.worker->program;
  Path& path = w.paths[w.current];
  const FunctionInfo& caller = program.functions[path.function];
  const FunctionInfo& callee = program.functions[function];
  const uint32_t registers = place_registers(w, path.registers, path.registers + caller.register_bytes, function);
  const uint32_t alignment = std::max(16u, callee.local_alignment);
  const uint32_t local = (path.local + caller.local_bytes + alignment - 1) / alignment * alignment;
  if (registers + callee.register_bytes > w.worker->register_stack ||
      local + callee.local_bytes + stack_used(w) > w.worker->local_stack) {
    return fault(w, i, Fault::Kind::out_of_local, std::countr_zero(w.active), local,
                 "the stack is exhausted by " + std::to_string(path.frames.size() + 1) + " nested calls");
  }
  clear_frame(w, callee, registers, local);
  if (callee.has_alloca) keep_stack_used(w, local + callee.local_bytes);
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    copy_local(w, w.active, path.local + call.arguments[k].from, local + callee.parameters[k].offset,
               call.arguments[k].bytes);
  }
  path.frames.push_back({i, path.registers, path.local, path.function});
  path.registers = registers;
  path.local = local;
  path.function = function;
  path.pc = program.code.data() + callee.begin;
  return resume(w, w.current);
}

const Instr* leave_function(Warp& w) {
  const LoadedProgram& program = *w.worker->program;
  Path& path = w.paths[w.current];
  const Frame frame = path.frames.back();
  const FunctionInfo& callee = program.functions[path.function];
  const CallInfo& call = program.calls[frame.call->aux];
  for (size_t k = 0; k < call.results.size(); ++k) {
    copy_local(w, w.active, path.local + callee.returns[k].offset, frame.local + call.results[k].to,
               call.results[k].bytes);
  }
  if (callee.has_alloca) give_back_stack(w, path.local + callee.local_bytes);
  return pop_frame(w);
}

const Instr* pop_frame(Warp& w) {
  Path& path = w.paths[w.current];
  const Frame frame = path.frames.back();
  path.frames.pop_back();
  path.registers = frame.registers;
  path.local = frame.local;
  path.function = frame.function;
  path.pc = frame.call + 1;
  return resume(w, w.current);
}

}  // namespace bankshot::simt
