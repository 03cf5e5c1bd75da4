#include "bankshot/simt/run/stepper.hpp"

#include <bit>
#include <limits>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/matrices/matrix.hpp"
#include "bankshot/simt/state/texture_op.hpp"
#include "bankshot/simt/textures/texture_run.hpp"
#include "bankshot/simt/transactions/transaction.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;

/// What a poll of global memory counts beside itself toward the turn of the warp's other paths: it takes hundreds of
/// cycles here, and who holds the lock that is waited for may be among them.
constexpr int32_t kLongPoll = 31;

bool is_pseudo(const Instr& i) {
  return (i.flags & InstrFlag::kPseudo) != 0 || i.body == &run_reconverge || i.body == &run_return;
}

/// The path that comes after the current one among those that can go on.
const Instr* resume_another(Warp& w) {
  const auto count = static_cast<int32_t>(w.paths.size());
  for (int32_t k = 1; k <= count; ++k) {
    const int32_t index = (w.current + k) % count;
    if (w.paths[static_cast<size_t>(index)].state == Path::State::ready) return resume(w, index);
  }
  return nullptr;
}

/// From what a handler returned to the next instruction of the program.
const Instr* settle(Warp& w, const Instr* next) {
  for (;;) {
    if (next == nullptr) {
      if (w.done || w.cta->faulted) return nullptr;
      if (w.yielded) {
        w.yielded = false;
        w.polls = kPollsPerTurn;
      }
      w.loops = kLoopsPerTurn;
      next = resume_another(w);
      if (next == nullptr) next = next_path(w);
      if (next == nullptr) return nullptr;
    }
    if (!is_pseudo(*next)) {
      // A part of a warp that waits for the rest does not issue the instruction.
      if ((next->flags & InstrFlag::kAligned) == 0 || executing_lanes(w, next) == 0 || whole_warp(w, next)) return next;
      next = nullptr;
      continue;
    }
    next = w.active == 0 ? pass_over(w, next) : next->run(w, next);
  }
}

}  // namespace

const Instr* next_of(Warp& w) {
  w.polls = kPollsPerTurn;
  return settle(w, nullptr);
}

Step step(Warp& w, const Instr* i) {
  w.worker->shared_cost = {};
  const Instr* const next = settle(w, w.active == 0 ? pass_over(w, i) : i->run(w, i));
  return {next, w.worker->shared_cost};
}

bool follows(const Instr* next, const Instr* i) {
  while (next > ++i && is_pseudo(*i)) {
  }
  return next == i;
}

void lane_addresses_of(const Warp& w, const Instr* i, uint64_t lanes, LaneAddresses& to) {
  if (is_texture(*i)) {
    to.shared = to.local = to.global = to.elsewhere = 0;
    TexelAddresses texels;
    texel_addresses_of(w, i, lanes, texels);
    if (texels.count == 0) return;
    to.global = texels.row[0].lanes;
    to.address = texels.row[0].address;
  } else if (i->flags & InstrFlag::kMatrix) {
    sort_by_space(w, i, matrix_addresses(w, i, to), to);
  } else {
    addresses_of(w, i, lanes, to);
  }
}

bool reaches_elsewhere(const Warp& w, const Instr* i, uint64_t lanes) {
  const auto is_there = [&](Space space, uint64_t address) {
    const int64_t offset = shared_offset(w, space, address);
    return offset >= 0 && is_elsewhere(*w.cta, static_cast<uint64_t>(offset));
  };
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (is_there(static_cast<Space>(i->small & MemorySmall::kSpaceMask), lane_address(w, i, lane))) return true;
    if (i->op[5] == OperandRef::kNone) continue;
    const CopyInfo& copy = w.worker->program->copies[i->op[5]];
    if (copy.ctas != OperandRef::kNone) return true;
    for (const AddressRef* side : {&copy.to, &copy.barrier}) {
      if (side->base != OperandRef::kNone && is_there(side->space, address_of(w, *side, lane))) return true;
    }
  }
  return false;
}

Deferred defer(Warp& w, const Instr* i, const Instr*& next) {
  const Deferred access{&w, i, w.active, w.base[0], w.local_frame};
  if (i->flags & InstrFlag::kPolls) w.polls -= kLongPoll;
  next = settle(w, i->flags & InstrFlag::kPolls ? polled(w, i + 1) : i + 1);
  return access;
}

bool perform(const Deferred& access) {
  Warp& w = *access.warp;
  if (w.cta->faulted) return false;
  w.worker->performing = true;
  if (access.instr == nullptr) {
    commit_now(w);
    w.worker->performing = false;
    return !w.cta->faulted;
  }
  const Deferred now{&w, nullptr, w.active, w.base[0], w.local_frame};
  const int32_t polls = w.polls;
  w.polls = std::numeric_limits<int32_t>::max();
  w.active = access.active;
  w.base[0] = access.frame;
  w.local_frame = access.local_frame;
  const bool fine = access.instr->run(w, access.instr) != nullptr;
  w.active = now.active & w.paths[static_cast<size_t>(w.current)].mask;  // some may have met a conflict
  w.base[0] = now.frame;
  w.local_frame = now.local_frame;
  w.polls = polls;
  w.worker->performing = false;
  return fine;
}

}  // namespace bankshot::simt
