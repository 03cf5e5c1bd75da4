#include "bankshot/simt/transactions/transaction.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/transactions/transaction_parts.hpp"

namespace bankshot::simt {

scratchpad::SharedTransactions& memory_of(Warp& w) {
  Cta& cta = *w.cta;
  if (!cta.transactions) {
    cta.transactions = std::make_unique<scratchpad::SharedTransactions>(*w.worker->rules, *w.worker->tx_config);
  }
  if (!cta.has_transactions) {
    cta.transactions->start(cta.shared, cta.shared_bytes,
                            static_cast<unsigned>(cta.warps.size()) * w.worker->warp_size);
  }
  cta.has_transactions = true;
  return *cta.transactions;
}

bool is_below(const Warp& w, int32_t index, int32_t root) {
  for (index = w.paths[index].parent; index >= 0; index = w.paths[index].parent) {
    if (index == root) return true;
  }
  return false;
}

namespace {

using scratchpad::TxMode;
using State = Path::State;

const FunctionInfo& function_of(const Warp& w, const Path& path) { return w.worker->program->functions[path.function]; }

/// Bytes of local memory in use by each lane of the warp, the path's frame and those below.
size_t local_bytes(const Warp& w, const Path& path) {
  return size_t{path.local + function_of(w, path).local_bytes} * w.worker->program->lanes;
}

/// Registers and local memory are a thread's own: shadow registers of section 3.2. All is kept, of the lanes of the
/// path.
void keep(Warp& w, const Path& path) {
  const std::byte* const frame = w.registers + path.registers;
  w.tx.registers.assign(frame, frame + function_of(w, path).register_bytes);
  w.tx.local.assign(w.local, w.local + local_bytes(w, path));
  w.tx.carry = w.carry;
}

void restore(Warp& w, uint64_t lanes) {
  const Path& path = w.paths[w.tx.path];
  std::byte* const frame = w.registers + path.registers;
  const unsigned row_lanes = w.worker->program->lanes;
  const auto put_mask = [&](uint64_t& to, uint64_t from) { to = (to & ~lanes) | (from & lanes); };
  for (const FunctionInfo::Register& r : function_of(w, path).all_registers) {
    const std::byte* const kept = w.tx.registers.data() + r.offset;
    if (r.predicate) {
      put_mask(*reinterpret_cast<uint64_t*>(frame + r.offset), *reinterpret_cast<const uint64_t*>(kept));
      continue;
    }
    const uint32_t bytes = r.bytes / row_lanes;
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto at = static_cast<uint32_t>(std::countr_zero(rest)) * bytes;
      std::memcpy(frame + r.offset + at, kept + at, bytes);
    }
  }
  for (size_t row = 0; row < w.tx.local.size(); row += row_lanes * 4) {
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
      const size_t at = row + static_cast<size_t>(std::countr_zero(rest)) * 4;
      std::memcpy(w.local + at, w.tx.local.data() + at, 4);
    }
  }
  put_mask(w.carry, w.tx.carry);
}

/// The lanes that are yet to commit come to tx_begin once more. It restores their registers: a load that a timing model
/// performs later than it issued may still be under way.
void start_again(Warp& w, State state) {
  WarpTransaction& tx = w.tx;
  tx.restarting = true;
  tx.commit_waits = false;
  tx.arrived = 0;
  tx.nested = {};
  const auto depth = static_cast<uint32_t>(w.paths[tx.path].frames.size());
  const int32_t child = add_child(w, tx.path, tx.masks.exec, tx.begin, nullptr, depth);
  w.paths[child].state = state;
}

/// Of the lanes that wait at a begin those whose turn it is: its own transaction's, else who came first.
void wake_stalled(Warp& w) {
  const WarpTransaction& tx = w.tx;
  const uint64_t turn = tx.path >= 0 ? tx.lanes : tx.queue.empty() ? 0 : tx.queue.front();
  for (Path& path : w.paths) {
    if (path.state == State::at_transaction && (path.mask & turn) != 0) path.state = State::ready;
  }
}

/// A warp is in one transaction at a time, and who came to a begin first goes first: a loop that begins one after the
/// other leaves other lanes their turn. @return whether it is that of the lanes that execute
bool has_turn(Warp& w) {
  std::vector<uint64_t>& queue = w.tx.queue;
  const bool waits = std::any_of(queue.begin(), queue.end(), [&](uint64_t lanes) { return (lanes & w.active) != 0; });
  if (!waits) queue.push_back(w.active);
  return w.tx.path < 0 && (queue.front() & w.active) != 0;
}

void leave_queue(Warp& w) {
  for (uint64_t& lanes : w.tx.queue) lanes &= ~w.active;
  std::erase(w.tx.queue, uint64_t{0});
}

/// Instructions that a warp without lanes passes over at most: where no sides of a branch meet it might not come to a
/// commit.
constexpr uint32_t kLongestWalk = 1 << 16;

void free_below(Warp& w, int32_t root) {
  for (int32_t k = 0; k < static_cast<int32_t>(w.paths.size()); ++k) {
    if (w.paths[k].state == State::free || !is_below(w, k, root)) continue;
    w.displaced |= k == w.current;
    w.paths[k].state = State::free;
  }
  w.paths[root].children = 0;
}

/// A warp that runs alone makes the others' transactions start again, and wait there (section 3.1). They keep their
/// masks.
void displace(Warp& w) {
  WarpTransaction& tx = w.tx;
  if (tx.path < 0 || tx.restarting) return;
  const uint64_t killed = tx.masks.exec & ~tx.masks.conflicts;
  w.worker->tx.killed += lanes_in(killed);
  w.worker->tx.aborts += lanes_in(killed);
  if (w.worker->observer != nullptr) w.worker->observer->aborts(w, killed);
  free_below(w, tx.path);
  start_again(w, State::at_transaction);
}

/// Makes the path the place where the lanes that enter wait for each other's commits. @return the path below, which
/// runs
void enter(Warp& w, const Instr* i) {
  WarpTransaction& tx = w.tx;
  leave_queue(w);
  Path& path = w.paths[w.current];
  tx.path = w.current;
  tx.ended = &end_attempt;
  tx.begin = i;
  tx.lanes = w.active;
  tx.attempts = 0;
  tx.arrived = 0;
  tx.nested = {};
  keep(w, path);
  tx.masks.enter(w.active);
  path.state = State::inner;
  path.pc = nullptr;
  path.arrived = path.stale = 0;
  path.stale_turns = path.children = 0;
  w.current = add_child(w, tx.path, w.active, nullptr, nullptr, static_cast<uint32_t>(path.frames.size()));
  ++w.worker->tx.transactions;
}

const Instr* begin_nested(Warp& w, const Instr* i) {
  account(w, i, i + 1);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (++w.tx.nested[static_cast<size_t>(lane)] == 0) {
      return fault(w, i, Fault::Kind::bad_transaction, lane, 0, "more than 255 transactions in a transaction");
    }
  }
  return i + 1;
}

/// Takes lanes out of the path that executes. @return the next instruction
const Instr* leave(Warp& w, uint64_t lanes, const Instr* next) {
  Path& path = w.paths[w.current];
  path.mask &= ~lanes;
  w.active = path.mask;
  if (path.mask != 0) return w.segment = next;
  remove_child(w, w.current);
  return next_path(w);
}

}  // namespace

/// Lanes that met a conflict leave their path. When none is left that is not at its commit yet, the warp goes there
/// without any, as hardware does: the next try begins when this one would have ended. Who does not ask what a warp does
/// when has no such need. @return the next instruction
const Instr* abort_lanes(Warp& w, uint64_t lanes, const Instr* next) {
  Path& path = w.paths[w.current];
  path.mask &= ~lanes;
  w.active = path.mask;
  if (path.mask != 0) return w.segment = next;
  const bool nobody = (w.tx.masks.exec & ~w.tx.masks.conflicts & ~w.tx.arrived) == 0;
  if (!nobody || w.worker->sm < 0) {
    remove_child(w, w.current);
    return next_path(w);
  }
  free_below(w, w.tx.path);
  w.displaced = false;
  path.state = State::ready;
  path.parent = w.tx.path;
  path.reconverge = nullptr;
  w.paths[w.tx.path].children = 1;
  w.tx.walked = 0;
  return w.segment = next;
}

bool waits_at_begin(const Warp& w) {
  return std::any_of(w.paths.begin(), w.paths.end(),
                     [](const Path& path) { return path.state == State::at_transaction; });
}

const Instr* run_tx_begin(Warp& w, const Instr* i) {
  WarpTransaction& tx = w.tx;
  const bool mine = in_transaction(w);
  if (mine && !tx.restarting) return begin_nested(w, i);
  const bool turn = mine || has_turn(w);
  if (!turn || (w.cta->alone != nullptr && w.cta->alone != &w)) {
    account_pseudo(w, i);
    Path& path = w.paths[w.current];
    path.state = State::at_transaction;
    path.pc = i;
    return next_path(w);
  }
  account(w, i, i + 1);
  Worker& worker = *w.worker;
  scratchpad::SharedTransactions& memory = memory_of(w);
  if (!mine) {
    enter(w, i);
  } else {
    restore(w, tx.masks.exec);
  }
  if (worker.tx_config->exclusive) w.cta->alone = &w;
  tx.restarting = false;
  worker.tx_charge.mask_cycles += costs(*worker.tx_config).begin;
  if (tx.masks.mode == TxMode::cta_serialised) {
    w.cta->alone = &w;
    worker.tx_charge.mask_cycles += memory.abort_others(first_thread(w), worker.warp_size);
    for (Warp& other : w.cta->warps) {
      if (&other != &w) displace(other);
    }
  }
  for (GlobalLog& log : tx.global) log.clear();
  const uint64_t run = tx.masks.begin();
  ++worker.tx.attempts;
  ++tx.attempts;
  worker.tx.warp_serialised += tx.masks.mode == TxMode::warp_serialised;
  worker.tx.cta_serialised += tx.masks.mode == TxMode::cta_serialised;
  worker.tx.lanes += lanes_in(run);
  if (worker.observer != nullptr) worker.observer->begins(w, run);
  Path& path = w.paths[w.current];
  path.mask = run;
  path.pc = i + 1;
  return resume(w, w.current);
}

const Instr* run_tx_commit(Warp& w, const Instr* i) {
  account(w, i, i + 1);
  WarpTransaction& tx = w.tx;
  if (!in_transaction(w)) {
    return fault(w, i, Fault::Kind::bad_transaction, std::countr_zero(w.active), 0, "tx_commit() without a tx_begin()");
  }
  uint64_t ends = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    if (tx.nested[lane] != 0) {
      --tx.nested[lane];
      continue;
    }
    ends |= uint64_t{1} << lane;
    tx.resume[lane] = i + 1;
  }
  if (ends == 0) return i + 1;
  if (w.paths[w.current].frames != w.paths[tx.path].frames) {
    return fault(w, i, Fault::Kind::bad_transaction, std::countr_zero(ends), 0,
                 "tx_commit() in another function call than its tx_begin(): both must be in one");
  }
  tx.arrived |= ends;
  return leave(w, ends, i + 1);
}

void end_attempt(Warp& w) {
  WarpTransaction& tx = w.tx;
  Worker& worker = *w.worker;
  if (!settle_global(w)) return;
  const uint64_t committed = tx.masks.commit();
  if (worker.observer != nullptr) worker.observer->commits(w, committed);
  worker.tx.commits += lanes_in(committed);
  worker.tx_charge.mask_cycles += costs(*worker.tx_config).commit + memory_of(w).commit(first_thread(w), committed);
  if (w.cta->alone == &w && (tx.masks.exec == 0 || !worker.tx_config->exclusive)) {
    w.cta->alone = nullptr;
    for (Warp& other : w.cta->warps) wake_stalled(other);
  }
  if (tx.masks.exec != 0) return start_again(w, State::ready);
  const int32_t index = std::exchange(tx.path, -1);
  wake_stalled(w);
  // Lanes that committed at one place go on together.
  for (uint64_t rest = tx.lanes; rest != 0;) {
    const Instr* const pc = tx.resume[static_cast<size_t>(std::countr_zero(rest))];
    uint64_t same = 0;
    for (uint64_t others = rest; others != 0; others &= others - 1) {
      const int lane = std::countr_zero(others);
      if (tx.resume[static_cast<size_t>(lane)] == pc) same |= uint64_t{1} << lane;
    }
    const bool first = rest == tx.lanes;
    rest &= ~same;
    if (!first) {
      add_sibling(w, index, same, pc);
      continue;
    }
    w.paths[index].state = State::ready;
    w.paths[index].mask = same;
    w.paths[index].pc = pc;
  }
}

const Instr* run_tx_access(Warp& w, const Instr* i) {
  const auto plain = [&] { return i->guard == OperandRef::kNone ? i->body(w, i) : run_guarded(w, i); };
  if (!in_transaction(w) || (i->flags & InstrFlag::kMatrix) != 0)
    return plain();  // a matrix instruction refuses itself
  const uint64_t lanes = executing_lanes(w, i);
  LaneAddresses to;
  to.shared = 0;
  if (lanes != 0) addresses_of(w, i, lanes, to);
  if (to.global != 0 && keeps_global(w)) {
    if (to.shared == 0) return access_global(w, i, to);
    part(w, i, to.global);
    return i;
  }
  if (to.shared == 0) return plain();
  Worker& worker = *w.worker;
  const SiteInfo& what = worker.program->sites[i->aux];
  std::array<uint32_t, 64> offsets{};
  for (uint64_t rest = to.shared; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    offsets[lane] = static_cast<uint32_t>(to.address[lane]);
    const bool fine = offsets[lane] % what.width == 0 && offsets[lane] + uint64_t{what.width} <= w.cta->shared_bytes;
    if (!fine) return plain();  // it finds the fault
  }
  const scratchpad::SharedTransactions::Outcome outcome =
      memory_of(w).access({what.kind, what.width, offsets.data(), to.shared, first_thread(w)}, worker.tx);
  worker.tx_charge.access_cycles += outcome.cycles;
  // Banks serve one lane after the other, whether it may go on or not.
  count_shared(w, i->aux, scratchpad::AccessKind::atomic, what.width, offsets.data(), to.shared);
  if (worker.counting) {
    ++worker.sites[i->aux].in_transactions;
    // A timing model charges the passes that detection took: not in phases, but all lanes of the warp together.
    worker.shared_cost.wavefronts = outcome.passes;
    worker.shared_cost.ideal = std::min(worker.shared_cost.ideal, outcome.passes);
  }
  if (worker.observer != nullptr && outcome.conflicts != 0) worker.observer->aborts(w, outcome.conflicts);
  const uint64_t stale = stale_lanes(w, to.shared & ~outcome.conflicts), out = outcome.conflicts | stale;
  if (stale != 0) abort_invalid(w, stale);
  const uint64_t survivors = lanes & ~out, before = w.active;
  const Instr* next = i + 1;
  if (survivors != 0) {
    const uint64_t seen = to.shared & survivors;
    if (worker.observer != nullptr) worker.observer->accesses(w, what.kind, what.width, offsets.data(), seen, false);
    w.active = survivors;
    const bool counting = std::exchange(worker.counting, false);
    next = i->body(w, i);
    worker.counting = counting;
    w.active = before;
    if (worker.observer != nullptr) worker.observer->accesses(w, what.kind, what.width, offsets.data(), seen, true);
    if (w.cta->faulted) return nullptr;
  }
  if (out == 0) return next;
  worker.tx.aborts += lanes_in(outcome.conflicts);
  w.tx.masks.conflict(outcome.conflicts);
  if (next ==
      nullptr) {  // it polled, and lets others run: its path is there to be resumed, for some lanes that are left
    w.paths[w.current].mask &= ~out;
    return nullptr;
  }
  account(w, i, i + 1);
  return abort_lanes(w, out, next);
}

/// Where branches would divide lanes it goes on where these would meet, and into no function.
const Instr* pass_over(Warp& w, const Instr* i) {
  const bool ends = i->body == &run_tx_commit || i->body == &run_return || i->body == &run_exit;
  if (i->body == &run_return && w.paths[w.current].frames.size() > w.paths[w.tx.path].frames.size())
    return pop_frame(w);
  if (!ends && ++w.tx.walked < kLongestWalk) {
    if (!jumps(*i) && i->body != &run_branch_indexed) return i + 1;
    const bool divides = i->guard != OperandRef::kNone || !jumps(*i);
    if (!divides) return reinterpret_cast<const Instr*>(i->imm);
    return i->aux == 0 ? i + 1 : w.worker->program->code.data() + i->aux;
  }
  remove_child(w, w.current);
  return next_path(w);
}

}  // namespace bankshot::simt
