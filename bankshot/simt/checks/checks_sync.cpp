// Barriers and exchanges between lanes, as Checks sees them.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "bankshot/hazards/lane_bits.hpp"
#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/checks/checks.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/warp_sync.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/thread_index.hpp"

namespace bankshot::simt {
namespace {

using Kind = Finding::Kind;

unsigned first_of(uint64_t lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }
unsigned number_of(uint64_t lanes) { return static_cast<unsigned>(std::popcount(lanes)); }

std::string hexadecimal(uint32_t mask) {
  char text[12];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

const CheckedOp& op_of(const Warp& w, const Instr* i) {
  const LoadedProgram& program = *w.worker->program;
  return (*program.checked)[static_cast<size_t>(i - program.code.data())];
}

/// f(path) for paths that wait at a .sync instruction for some of these lanes.
template <class F>
void for_waiting(const Warp& w, uint64_t lanes, F f) {
  for (const Path& path : w.paths) {
    // One that is ready is about to look again who is left.
    const bool waits = path.state == Path::State::at_warp_sync || path.state == Path::State::ready;
    if (waits && path.pc != nullptr && (path.wait_mask & lanes) != 0) f(path);
  }
}

/// Whether threads that go on from a join of their warp end without doing anything more.
bool ends_behind(const Warp& w, const Instr* join) {
  const auto is_in_call = [&](const Path& path) {
    return path.state == Path::State::inner && path.pc == join && !path.frames.empty();
  };
  if (std::any_of(w.paths.begin(), w.paths.end(), is_in_call)) return false;
  const Instr* at = join;
  for (int jumps = 0; jumps < 8; ++jumps) {
    const bool always = at->guard == OperandRef::kNone;
    if (always && (at->body == &run_return || at->body == &run_exit)) return true;
    if (at->body == &run_reconverge) {
      ++at;
    } else if (always && at->body == &run_branch) {
      at = reinterpret_cast<const Instr*>(at->imm);
    } else {
      return false;
    }
  }
  return false;
}

}  // namespace

// Membermasks.

void Checks::check_members(Warp& w, const Instr* i, const CheckedOp& op) {
  if (!options_.sync || op.members == OperandRef::kNone) return;
  const uint32_t* const masks = w.row<const uint32_t>(op.members);
  if (w.paths.size() > 1) come_elsewhere(w, i, masks);
  uint64_t missing = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const unsigned lane = first_of(rest);
    const bool named = masks[lane] == ~0u || (lane < 32 && (masks[lane] >> lane & 1) != 0);
    if (!named) missing |= lane_bit(lane);
  }
  if (missing == 0) return;
  bool is_new = false;
  Finding& finding = find(w, Kind::missing_member, i, nullptr, number_of(missing), is_new);
  if (!is_new) return;
  const unsigned lane = first_of(missing);
  finding.thread = thread_of(w, lane);
  finding.detail = "lane " + std::to_string(lane) + " executes it with the membermask " + hexadecimal(masks[lane]) +
                   ", which does not name it";
}

/// Lanes have come to a .sync instruction. Others may wait for them at another, or with another mask.
void Checks::come_elsewhere(Warp& w, const Instr* i, const uint32_t* masks) {
  for_waiting(w, w.active, [&](const Path& path) {
    const bool alike = path.pc->body == i->body && path.pc->small == i->small;
    uint64_t others = 0;
    for (uint64_t rest = w.active & path.wait_mask; rest != 0; rest &= rest - 1) {
      const unsigned lane = first_of(rest);
      if (!alike || member_lanes(masks[lane]) != path.wait_mask) others |= lane_bit(lane);
    }
    stray(w, path, others, i);
  });
}

void Checks::go_on(Warp& w, uint64_t lanes, const Instr* at) {
  if (!options_.sync || ends_behind(w, at)) return;
  for_waiting(w, lanes, [&](const Path& path) { stray(w, path, path.wait_mask & lanes, at); });
}

void Checks::stray(Warp& w, const Path& path, uint64_t lanes, const Instr* at) {
  std::vector<CtaChecks::Strayed>& all = of(w).warps[w.index].strayed;
  for (const CtaChecks::Strayed& known : all) {
    if (known.awaited_at == path.pc) lanes &= ~known.lanes;
  }
  if (lanes != 0) all.push_back({path.pc, at, lanes});
}

void Checks::have_come(Warp& w, const Instr* i) {
  if (!options_.sync || w.cta->checks == nullptr) return;
  std::erase_if(of(w).warps[w.index].strayed,
                [&](const CtaChecks::Strayed& strayed) { return strayed.awaited_at == i; });
}

/// Lanes end for which others wait. A mask may name threads that have ended (CUDA C++ Programming Guide, "Warp Shuffle
/// Functions": non-exited threads have to come), so those are told only that did something else in the meantime. To
/// have come to another .sync instruction is an error; to have gone past a join is not always what the source says, as
/// compilers merge what two sides of a branch end with.
void Checks::end_awaited(Warp& w, uint64_t lanes) {
  if (w.cta->checks == nullptr) return;
  for (const CtaChecks::Strayed& strayed : of(w).warps[w.index].strayed) {
    for_waiting(w, strayed.lanes & lanes, [&](const Path& path) {
      if (path.pc != strayed.awaited_at) return;
      const uint64_t never = strayed.lanes & lanes & path.wait_mask;
      bool is_new = false;
      Finding& finding = find(w, Kind::absent_member, path.pc, strayed.went_to, number_of(never), is_new);
      if (!is_new) return;
      finding.is_warning = op_of(w, strayed.went_to).members == OperandRef::kNone;
      finding.thread = thread_of(w, first_of(path.mask));
      finding.other_thread = thread_of(w, first_of(never));
      finding.detail = "lane " + std::to_string(first_of(path.mask)) + " waits with the membermask " +
                       hexadecimal(static_cast<uint32_t>(path.wait_mask)) + "; lane " +
                       std::to_string(first_of(never)) + " continues elsewhere and ends without arriving";
    });
  }
}

// Barriers.

void Checks::arrives(Warp& w, const Instr* i, unsigned barrier, bool waits) {
  if (options_.race) of(w).races->arrive(barrier, warp_of(w), w.active, waits);
  if (!options_.sync) return;
  const bool aligned = op_of(w, i).aligned;
  // Lanes may come one after the other, as long as they come to one instruction. A whole warp may come twice.
  CtaChecks::Part& part = of(w).warps[w.index].parts[barrier];
  const bool whole = (w.alive & ~part.lanes) == 0;
  if (aligned && part.lanes != 0 && !whole && part.aligned && part.at != i) tell_divergence(w, part);
  part = {i, (whole ? 0 : part.lanes) | w.active, aligned};
  const uint32_t count = i->op[1] == OperandRef::kNone ? 0 : w.row<const uint32_t>(i->op[1])[first_of(w.active)];
  if (count % w.worker->warp_size != 0) {
    bool is_new = false;
    Finding& finding = find(w, Kind::barrier_count, i, nullptr, number_of(w.active), is_new);
    if (is_new) {
      finding.thread = thread_of(w, first_of(w.active));
      finding.detail = "the barrier waits for " + std::to_string(count) +
                       " threads, which is not a multiple of the warp size of " + std::to_string(w.worker->warp_size);
    }
  }
}

void Checks::tell_divergence(Warp& w, const CtaChecks::Part& part) {
  const unsigned here = number_of(part.lanes), all = number_of(w.alive | part.lanes);
  bool is_new = false;
  Finding& finding = find(w, Kind::divergent_barrier, part.at, nullptr, here, is_new);
  if (!is_new) return;
  finding.thread = thread_of(w, first_of(part.lanes));
  finding.detail = std::to_string(here) + " of the " + std::to_string(all) + " running threads of warp " +
                   std::to_string(w.index) + " are at this barrier without the others";
}

/// Two warps pass an aligned barrier of all threads at different instructions, where all threads of the CTA have to
/// execute one (PTX ISA 9.0, section 9.7.13.1). Hardware counts the warps all the same.
void Checks::tell_places(Warp& a, const CtaChecks::Part& at_a, Warp& b, const CtaChecks::Part& at_b) {
  if (at_a.at > at_b.at) return tell_places(b, at_b, a, at_a);
  if (spot(a, at_a.at) == spot(b, at_b.at)) return;
  bool is_new = false;
  Finding& finding = find(a, Kind::divergent_barrier, at_a.at, at_b.at, number_of(at_a.lanes), is_new);
  if (!is_new) return;
  finding.is_warning = true;
  finding.thread = thread_of(a, first_of(at_a.lanes));
  finding.other_thread = thread_of(b, first_of(at_b.lanes));
  finding.detail = "warps " + std::to_string(a.index) + " and " + std::to_string(b.index) +
                   " pass one barrier of the whole block at different places";
}

/// Threads have ended that do not come to a barrier of all threads. Hardware waits for those that still run (CUDA C++
/// Programming Guide, "Independent Thread Scheduling").
void Checks::tell_ended(Warp& w, const CtaChecks::Part& part) {
  for (const CtaChecks::Ended& ended : of(w).ended) {
    bool is_new = false;
    Finding& finding = find(w, Kind::divergent_barrier, part.at, ended.at, ended.threads, is_new);
    if (!is_new) continue;
    finding.is_warning = true;
    finding.thread = thread_of(w, first_of(part.lanes));
    finding.other_thread = ended.first;
    finding.detail = std::to_string(ended.threads) + " of the " + std::to_string(w.cta->threads) +
                     " threads of the block have ended and never reach this barrier";
  }
}

void Checks::completes(Cta& cta, unsigned barrier, bool whole) {
  if (cta.checks == nullptr) return;
  if (options_.race) cta.checks->races->complete(barrier, whole, cta.rank);
  if (!options_.sync) return;
  Warp* first = nullptr;
  for (Warp& w : cta.warps) {
    const CtaChecks::Part& part = cta.checks->warps[w.index].parts[barrier];
    if (part.lanes == 0) continue;
    if (part.aligned && (w.alive & ~part.lanes) != 0) tell_divergence(w, part);
    if (!whole) continue;
    if (first == nullptr) {
      first = &w;
      tell_ended(w, part);
      continue;
    }
    const CtaChecks::Part& other = cta.checks->warps[first->index].parts[barrier];
    if (part.at != other.at && part.aligned && other.aligned) tell_places(*first, other, w, part);
  }
  for (CtaChecks::OfWarp& warp : cta.checks->warps) warp.parts[barrier] = {};
}

const Checks::Has& Checks::has(const LoadedProgram& program) {
  if (has_.program == program.serial) return has_;
  has_ = {program.serial, false, false};
  for (const CheckedOp& op : *program.checked) {
    has_.barriers |= op.kind == CheckedOp::Kind::barrier;
    has_.asynchronous |= op.kind == CheckedOp::Kind::proxy_fence;
  }
  // Most have nothing to check when they are executed.
  for (const InstrInfo& info : program.info) {
    using A = ptx::Access::Kind;
    const A kind = info.access.kind;
    has_.asynchronous |=
        info.access.asynchronous || kind == A::copy || kind == A::mbarrier || kind == A::commit || kind == A::wait;
  }
  return has_;
}

void Checks::exits(Warp& w, const Instr* i, uint64_t lanes) {
  if (options_.race && (w.cta->checks != nullptr || has(*w.worker->program).barriers))
    of(w).races->exit(warp_of(w), lanes);
  const bool is_last = w.cta->live_warps == 1 && lanes == w.alive;
  if (is_last && options_.memory && w.cta->checks != nullptr) tell_unfreed(w);
  if (!options_.sync) return;
  end_awaited(w, lanes);
  if (is_last) return;
  if (!has(*w.worker->program).barriers) return;
  std::vector<CtaChecks::Ended>& ended = of(w).ended;
  const auto same = std::find_if(ended.begin(), ended.end(), [&](const CtaChecks::Ended& one) { return one.at == i; });
  if (same != ended.end()) {
    same->threads += number_of(lanes);
  } else {
    ended.push_back({i, number_of(lanes), thread_of(w, first_of(lanes))});
  }
}

void Checks::meets(Warp& w, uint64_t lanes) {
  if (options_.race) of(w).races->meet(warp_of(w), lanes);
}

void Checks::use_mbarrier(Warp& w, const Instr* i, hazards::AccessKind kind, uint64_t place, unsigned lane) {
  std::array<uint64_t, 64> at{};
  at[lane] = place;
  hazards::WarpAccess access;
  access.kind = kind;
  access.site = static_cast<uint32_t>(i - w.worker->program->code.data());
  access.warp = warp_of(w);
  access.lanes = lane_bit(lane);
  access.width = sizeof(uint64_t);
  access.offsets = at.data();
  found_.clear();
  of(w).races->access(access, found_);
  tell(w, found_);
}

void Checks::initialises(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) {
  const int64_t there = place_of(w, barrier, sizeof(uint64_t));
  if (there < 0) return;
  const auto place = static_cast<uint64_t>(there);
  if (options_.memory || options_.race) of(w).written->write(place, sizeof(uint64_t));
  if (!options_.race) return;
  use_mbarrier(w, i, hazards::AccessKind::write, place, lane);
  of(w).races->exact().initialise_mbarrier(place);
}

void Checks::arrives_at(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) {
  const int64_t place = place_of(w, barrier, sizeof(uint64_t));
  if (!options_.race || place < 0) return;
  use_mbarrier(w, i, hazards::AccessKind::atomic, static_cast<uint64_t>(place), lane);
  of(w).races->exact().arrive_mbarrier(static_cast<uint64_t>(place), warp_of(w), lane);
}

void Checks::products_arrive_at(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) {
  const int64_t place = place_of(w, barrier, sizeof(uint64_t));
  if (options_.sync && place >= 0) commits_queued(w, place);
  if (!options_.race || place < 0) return;
  use_mbarrier(w, i, hazards::AccessKind::atomic, static_cast<uint64_t>(place), lane);
  of(w).races->exact().arrive_mbarrier_async(static_cast<uint64_t>(place), warp_of(w), lane,
                                             hazards::SharedRaces::kProducts);
}

void Checks::passes(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) {
  const int64_t place = place_of(w, barrier, sizeof(uint64_t));
  if (options_.sync && place >= 0) waited_for_queued(w, place);
  if (!options_.race || place < 0) return;
  use_mbarrier(w, i, hazards::AccessKind::atomic, static_cast<uint64_t>(place), lane);
  of(w).races->exact().pass_mbarrier(static_cast<uint64_t>(place), warp_of(w), lane);
}

void Checks::ends_phase(Warp& w, uint64_t barrier) {
  const int64_t place = place_of(w, barrier, sizeof(uint64_t));
  if (options_.race && place >= 0) of(w).races->exact().end_phase(static_cast<uint64_t>(place));
}

namespace {

/// The barrier of the cluster, among the mbarriers: those begin at multiples of 8.
constexpr uint64_t kClusterBarrier = 1;

}  // namespace

void Checks::arrives_in_cluster(Warp& w) {
  if (options_.race)
    hazards::for_lanes(w.active,
                       [&](unsigned lane) { of(w).races->exact().arrive_mbarrier(kClusterBarrier, warp_of(w), lane); });
}

void Checks::cluster_completes(Cta& cta, const Worker& worker) {
  if (options_.race) of(cta, worker).races->exact().end_phase(kClusterBarrier, true);
}

void Checks::passes_cluster(Warp& w, uint64_t lanes) {
  if (options_.race)
    hazards::for_lanes(lanes,
                       [&](unsigned lane) { of(w).races->exact().pass_mbarrier(kClusterBarrier, warp_of(w), lane); });
}

/// cp.async.mbarrier.arrive
void Checks::copies_arrive(Warp& w, const Instr* i) {
  if (!options_.race) return;
  hazards::for_lanes(executing_lanes(w, i), [&](unsigned lane) {
    const int64_t offset = shared_offset(w, static_cast<ptx::Space>(i->small), lane_address(w, i, lane));
    const int64_t place = offset < 0 ? -1 : place_of(w, static_cast<uint64_t>(offset), sizeof(uint64_t));
    if (place >= 0)
      of(w).races->exact().arrive_mbarrier_async(static_cast<uint64_t>(place), warp_of(w), lane,
                                                 hazards::SharedRaces::kLanes);
  });
}

}  // namespace bankshot::simt
