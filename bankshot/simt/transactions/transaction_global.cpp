// Transactions and global memory, the second step that GPU-LocalTM leaves to the future: versions are lazy, and a
// commit finds out by the values that it has read whether others came before it (global_log.hpp). CTAs of such kernels
// run in one order, and simulations perform these accesses and commits between quanta: nothing else runs then.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/transactions/transaction.hpp"
#include "bankshot/simt/transactions/transaction_parts.hpp"

namespace bankshot::simt {
namespace {

using State = Path::State;

/// Lanes that would commit if nothing else came.
uint64_t candidates(const WarpTransaction& tx) { return tx.masks.exec & ~tx.masks.conflicts; }

/// Takes lanes out of all paths of the transaction, wherever they stand. @return whether the path that executes has
/// none left
bool take_out(Warp& w, uint64_t lanes) {
  w.tx.arrived &= ~lanes;
  bool current_is_empty = false;
  for (int32_t k = 0; k < static_cast<int32_t>(w.paths.size()); ++k) {
    Path& path = w.paths[k];
    if (path.state == State::free || !is_below(w, k, w.tx.path)) continue;
    path.arrived &= ~lanes;
    if (path.state == State::inner || (path.mask & lanes) == 0) continue;
    path.mask &= ~lanes;
    if (path.mask != 0) continue;
    if (k == w.current) {
      current_is_empty = true;
      continue;
    }
    remove_child(w, k);
    if (w.tx.path < 0 || w.tx.restarting || w.tx.commit_waits) break;  // that ended the attempt
  }
  return current_is_empty;
}

/// One lane's access to global memory, which sees what its own transaction has written, and no other lane sees.
/// @return false after a fault, or if what it has read is not there any more: `invalid` then has the lane
bool access_global_lane(Warp& w, const Instr* i, unsigned lane, uint64_t address, const SiteInfo& what,
                        uint64_t& invalid) {
  GlobalLog& log = w.tx.global[lane];
  w.active = uint64_t{1} << lane;
  const Allocation* const there = w.worker->memory->accessible(address);
  const bool writes = scratchpad::writes(what.kind);
  const bool fine = there != nullptr && there->live && (!writes || there->writable) && address % what.width == 0 &&
                    address - there->address + what.width <= there->size;
  if (!fine) {
    i->body(w, i);  // it tells the fault
    return false;
  }
  if (!log.is_valid()) {
    invalid |= w.active;
    return false;
  }
  const uint64_t first = address / 4 * 4;
  std::array<uint32_t, 9> held{};
  const auto words = static_cast<size_t>((address + what.width - first + 3) / 4);
  for (size_t k = 0; k < words; ++k) held[k] = log.show(first + 4 * k, scratchpad::reads(what.kind));
  TransactionObserver* const observer = w.worker->observer;
  if (observer != nullptr) observer->accesses_global(w, what.kind, what.width, lane, address, false);
  i->body(w, i);
  if (observer != nullptr) observer->accesses_global(w, what.kind, what.width, lane, address, true);
  for (size_t k = 0; k < words; ++k) {
    // Of a word the bytes from `from` to `to` are the access's.
    const uint64_t word = first + 4 * k, from = std::max(address, word) - word,
                   to = std::min(address + what.width - word, uint64_t{4});
    const auto bits = static_cast<uint32_t>(((uint64_t{1} << 8 * to) - 1) & ~((uint64_t{1} << 8 * from) - 1));
    log.hide(word, writes ? bits : 0, held[k]);
  }
  return !w.cta->faulted;
}

}  // namespace

uint64_t stale_lanes(const Warp& w, uint64_t lanes) {
  uint64_t stale = 0;
  if (w.tx.global.empty()) return stale;
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    if (!w.tx.global[lane].is_valid()) stale |= uint64_t{1} << lane;
  }
  return stale;
}

void abort_invalid(Warp& w, uint64_t lanes) {
  Worker& worker = *w.worker;
  if (worker.observer != nullptr) worker.observer->aborts(w, lanes);
  worker.tx.invalid += lanes_in(lanes);
  worker.tx.aborts += lanes_in(lanes);
  worker.tx_charge.mask_cycles += memory_of(w).abort(first_thread(w), lanes);
  w.tx.masks.conflict(lanes);
}

bool keeps_global(const Warp& w) {
  return in_transaction(w) && !w.worker->program->functions[w.worker->launch->function].isolated;
}

bool settle_global(Warp& w) {
  WarpTransaction& tx = w.tx;
  Worker& worker = *w.worker;
  if (tx.global.empty()) return true;
  for (uint64_t rest = candidates(tx); rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    if (tx.global[lane].empty()) continue;
    if (worker.sm >= 0 && !worker.performing) {
      tx.commit_waits = true;
      return false;
    }
    if (tx.global[lane].is_valid()) {
      tx.global[lane].publish();
    } else {
      abort_invalid(w, uint64_t{1} << lane);
    }
  }
  return true;
}

void part(Warp& w, const Instr* i, uint64_t lanes) {
  account_pseudo(w, i);
  add_sibling(w, w.current, lanes, i);
  w.paths[w.current].mask = w.active = w.active & ~lanes;
  w.segment = i;
}

std::vector<uint64_t> global_words(const Warp& w) {
  std::vector<uint64_t> words;
  if (w.tx.global.empty()) return words;
  for (uint64_t rest = candidates(w.tx); rest != 0; rest &= rest - 1) {
    const GlobalLog& log = w.tx.global[static_cast<size_t>(std::countr_zero(rest))];
    for (const GlobalLog::Read& read : log.reads()) words.push_back(read.address);
    for (const GlobalLog::Write& write : log.writes()) words.push_back(write.address);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void commit_now(Warp& w) {
  if (std::exchange(w.tx.commit_waits, false)) end_attempt(w);
}

/// Lanes one after the other, because nothing else runs meanwhile: in simulations the access is performed between
/// quanta.
const Instr* access_global(Warp& w, const Instr* i, const LaneAddresses& to) {
  Worker& worker = *w.worker;
  if (w.tx.global.empty()) w.tx.global.resize(64);
  const SiteInfo& what = worker.program->sites[i->aux];
  const uint64_t before = w.active;
  const int32_t polls = std::exchange(w.polls, std::numeric_limits<int32_t>::max());
  uint64_t invalid = 0;
  // Those that met a conflict since it issued are not asked; nor is anybody whose attempt was given up for a warp that
  // runs alone.
  for (uint64_t rest = w.tx.restarting ? 0 : to.global & ~w.tx.masks.conflicts; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    access_global_lane(w, i, lane, to.address[lane], what, invalid);
    if (w.cta->faulted) return nullptr;
  }
  if (to.local != 0) {
    w.active = to.local;
    i->body(w, i);
  }
  w.active = before;
  w.polls = polls;
  if (w.cta->faulted) return nullptr;
  const Instr* const next = i + 1;
  if (invalid == 0) return !worker.performing && (i->flags & InstrFlag::kPolls) != 0 ? polled(w, next) : next;
  abort_invalid(w, invalid);
  if (!worker.performing) {
    account(w, i, next);
    return abort_lanes(w, invalid, next);
  }
  if (take_out(w, invalid)) {  // what the warp was about to execute is for nobody
    w.displaced = true;
    remove_child(w, w.current);
  }
  return next;
}

}  // namespace bankshot::simt
