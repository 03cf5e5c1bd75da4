// Divergence, reconvergence, barriers and calls: see Path in warp.hpp for the tree they work on.
#include "bankshot/simt/control/control.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/native.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/state/checker.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {

namespace {

bool callable(const FunctionInfo& function, const CallInfo& call) {
  return function.defined && !function.is_entry && fits(call, function);
}

}  // namespace

namespace {

/// Lanes that go on at the same place.
struct Side {
  uint64_t lanes;
  const Instr* pc;
};

/// The path of which the parent waits at this join: this one or one above; -1: none. Who is in a transaction does not
/// leave it for a join around it.
int32_t awaited_by(const Warp& w, int32_t index, const Instr* join, uint32_t depth) {
  for (; index >= 0 && index != w.tx.path; index = w.paths[index].parent) {
    if (w.paths[index].reconverge == join && w.paths[index].reconverge_depth == depth) return index;
  }
  return -1;
}

/// Makes the current path wait at the joins that lanes come to when they leave loops on the way to the branch's first.
void wait_beyond(Warp& w, const Instr* branch) {
  size_t outer = 0;
  while (outer + 1 < kMostJoins && branch->op[outer + 1] != 0) ++outer;
  for (; outer != 0; --outer) {
    const Instr* const join = w.worker->program->code.data() + branch->op[outer];
    const auto depth = static_cast<uint32_t>(w.paths[w.current].frames.size());
    if (awaited_by(w, w.current, join, depth) >= 0) continue;
    park_inner(w, w.current, join);
    w.current = add_child(w, w.current, w.active, nullptr, join, depth);
    w.awaited |= bit_of_join(join);
  }
}

const Instr* join_of(const Warp& w, const Instr* branch) {
  return branch->aux == 0 ? nullptr : w.worker->program->code.data() + branch->aux;
}

/// The active lanes part; they meet again at `join` (null: never).
template <class Sides>
const Instr* spread(Warp& w, const Sides& sides, const Instr* join) {
  const int32_t index = w.current;
  const auto depth = static_cast<uint32_t>(w.paths[index].frames.size());
  const int32_t awaiting = join == nullptr ? index : awaited_by(w, index, join, depth);
  if (awaiting < 0) {
    // The path becomes the place where the sides meet.
    park_inner(w, index, join);
    for (const Side& side : sides) {
      if (side.pc == join) {
        w.paths[index].arrived |= side.lanes;
      } else {
        add_child(w, index, side.lanes, side.pc, join, depth);
      }
    }
    return next_path(w);
  }
  // Lanes may already wait at this join. The last side that has not arrived continues in this path.
  const Side* last = nullptr;
  for (const Side& side : sides) {
    if (join != nullptr && side.pc == join) {
      w.paths[w.paths[awaiting].parent].arrived |= side.lanes;
      continue;
    }
    if (last != nullptr) add_sibling(w, index, last->lanes, last->pc);
    last = &side;
  }
  w.paths[index].mask = w.active = last->lanes;
  return last->pc;
}

/// Taken lanes go to `target`, the others to i + 1.
const Instr* diverge(Warp& w, const Instr* i, uint64_t taken, const Instr* target) {
  if (target == i + 1) return target;
  wait_beyond(w, i);
  return spread(w, std::array{Side{taken, target}, Side{w.active & ~taken, i + 1}}, join_of(w, i));
}

}  // namespace

namespace {

/// All lanes jump. A loop that never ends by itself may wait for another warp.
const Instr* jump(Warp& w, const Instr* i, const Instr* target) {
  if (target > i || --w.loops > 0) return target;
  save(w, target);
  return nullptr;
}

}  // namespace

const Instr* run_branch(Warp& w, const Instr* i) {
  const Instr* const target = reinterpret_cast<const Instr*>(i->imm);
  if (i->guard == OperandRef::kNone) {
    account(w, i, target);
    return enter(w, jump(w, i, target));
  }
  uint64_t taken = w.predicate_value(i->guard);
  taken = (i->flags & InstrFlag::kGuardNegated ? ~taken : taken) & w.active;
  const uint64_t lanes = w.active;
  if (i->flags & InstrFlag::kPseudo) {
    account_pseudo(w, i);
  } else {
    count(w, i, lanes);
  }
  if (taken == lanes) return enter(w, jump(w, i, w.segment = target));
  if (taken == 0) return enter(w, w.segment = i + 1);
  return enter(w, w.segment = diverge(w, i, taken, target));
}

const Instr* run_branch_indexed(Warp& w, const Instr* i) {
  const std::vector<uint32_t>& targets = w.worker->program->lists[i->imm];
  const uint32_t* index = w.row<const uint32_t>(i->op[0]);
  const Instr* const code = w.worker->program->code.data();
  account(w, i, i + 1);
  std::vector<Side> sides;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (index[lane] >= targets.size()) {
      return fault(
          w, i, Fault::Kind::bad_call, lane, index[lane],
          "brx.idx with index " + std::to_string(index[lane]) + " of a table of " + std::to_string(targets.size()));
    }
    const Instr* const target = code + targets[index[lane]];
    const auto side = std::find_if(sides.begin(), sides.end(), [&](const Side& s) { return s.pc == target; });
    if (side != sides.end()) {
      side->lanes |= uint64_t{1} << lane;
    } else {
      sides.push_back({uint64_t{1} << lane, target});
    }
  }
  if (sides.size() == 1) return w.segment = sides[0].pc;
  wait_beyond(w, i);
  return enter(w, w.segment = spread(w, sides, join_of(w, i)));
}

namespace {

/// The path that waits at this join for the current one; -1 if there is none.
int32_t awaiting_here(const Warp& w, const Instr* join) {
  if ((w.awaited & bit_of_join(join)) == 0) return -1;
  // One above: these lanes have left a loop, and the join in it is not theirs any more.
  return awaited_by(w, w.current, join, static_cast<uint32_t>(w.paths[w.current].frames.size()));
}

const Instr* arrive(Warp& w, int32_t awaiting) {
  w.paths[w.paths[awaiting].parent].arrived |= w.paths[w.current].mask;
  remove_child(w, w.current);
  return next_path(w);
}

}  // namespace

const Instr* run_reconverge(Warp& w, const Instr* i) {
  // A pseudo instruction: not counted.
  account_pseudo(w, i);
  const int32_t awaiting = awaiting_here(w, i);
  return enter(w, awaiting < 0 ? i + 1 : arrive(w, awaiting));
}

const Instr* native_diverge(Warp& w, const Instr* i, uint64_t taken) {
  return w.segment = diverge(w, i, taken, reinterpret_cast<const Instr*>(i->imm));
}

const Instr* native_join(Warp& w, const Instr* i) {
  const int32_t awaiting = awaiting_here(w, i);
  if (awaiting < 0) return nullptr;
  w.segment = i + 1;
  const Instr* const next = arrive(w, awaiting);
  return next != nullptr ? next : kNobodyReady;
}

const Instr* native_barrier(Warp& w, const Instr* i, NativeCode code, uint32_t at) {
  const Instr* const next = arrive_at_barrier(w, i);
  if (next == nullptr) {
    w.native = code;
    w.native_at = at;
  }
  return next;
}

void native_yield(Warp& w, const Instr* target) {
  w.segment = target;
  save(w, target);
}

const Instr* exit_lanes(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "the end of a thread");
  const uint64_t mask = w.active;
  if (w.worker->checks != nullptr) w.worker->checks->exits(w, i, mask);
  w.alive &= ~mask;
  w.cta->exited += lane_count(mask);
  w.paths[w.current].mask &= ~mask;
  if (w.paths[w.current].mask == 0) remove_child(w, w.current);
  if (w.alive == 0) {
    w.done = true;
    --w.cta->live_warps;
  }
  // Who waits for these lanes looks again who is left.
  look_again(w, Path::State::at_warp_sync);
  look_again(w, Path::State::at_aligned);
  if (w.cta->barriers_in_use != 0) check_barriers(*w.cta);
  cluster_changed(*w.cta);
  return w.done ? nullptr : next_path(w);
}

const Instr* run_exit(Warp& w, const Instr* i) {
  account(w, i, i + 1);
  return enter(w, exit_lanes(w, i));
}

const Instr* run_call(Warp& w, const Instr* i) {
  const LoadedProgram& program = *w.worker->program;
  const CallInfo& call = program.calls[i->aux];
  int32_t target = call.function;
  if (target < 0) {
    const uint64_t* pointers = w.row<const uint64_t>(i->op[0]);
    const int lane = std::countr_zero(w.active);
    const uint64_t pointer = pointers[lane];
    if (pointer == 0 || pointer > program.functions.size() || !callable(program.functions[pointer - 1], call)) {
      return fault(w, i, Fault::Kind::bad_call, lane, pointer,
                   "call through a pointer that is not a function of this type");
    }
    uint64_t same = 0;
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      if (pointers[l] == pointer) same |= uint64_t{1} << l;
    }
    if (same != w.active) {
      // One callee at a time; all lanes meet behind the call.
      account_pseudo(w, i);
      return w.segment = spread(w, std::array{Side{w.active & ~same, i}, Side{same, i}}, i + 1);
    }
    target = static_cast<int32_t>(pointer - 1);
  }
  account(w, i, i + 1);
  return enter_function(w, i, call, static_cast<uint32_t>(target));
}

const Instr* run_return(Warp& w, const Instr* i) {
  // The one end of a function, to which every `ret` is a branch: not counted itself.
  account_pseudo(w, i);
  if (w.paths[w.current].frames.empty()) return enter(w, exit_lanes(w, i));
  return w.segment = leave_function(w);
}

const Instr* run_trap(Warp& w, const Instr* i) {
  account(w, i, i + 1);
  return fault(w, i, Fault::Kind::trap, std::countr_zero(w.active), 0, "trap instruction");
}

const Instr* run_nanosleep(Warp& w, const Instr* i) {
  w.polls = 0;  // it says itself that it is waiting
  return polled(w, i + 1);
}

const Instr* run_guarded(Warp& w, const Instr* i) {
  uint64_t holds = w.predicate_value(i->guard);
  holds = (i->flags & InstrFlag::kGuardNegated ? ~holds : holds) & w.active;
  if (holds == 0) return i + 1;
  const uint64_t before = w.active;
  w.active = holds;
  const Instr* const next = i->body(w, i);
  w.active = before;
  return next;
}

}  // namespace bankshot::simt
