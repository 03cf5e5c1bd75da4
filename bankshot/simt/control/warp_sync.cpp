#include "bankshot/simt/control/warp_sync.hpp"

#include <cstring>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {
namespace {

using State = Path::State;

/// Paths that stand at the same operation with the same mask.
bool goes_with(const Path& path, const Instr* i, uint64_t members) {
  return path.state == State::at_warp_sync && path.wait_mask == members && path.pc->body == i->body &&
         path.pc->small == i->small;
}

void copy_lanes(std::byte* to, const std::byte* from, uint64_t lanes, size_t bytes) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    std::memcpy(to + lane * bytes, from + lane * bytes, bytes);
  }
}

void copy_predicate(uint64_t& to, uint64_t from, uint64_t lanes) { to = (to & ~lanes) | (from & lanes); }

/// Executes the operation once for all lanes that stand at it. Their operands may be in different rows: they are
/// brought together in rows of the worker's, and the results are handed out from there.
void execute(Warp& w, const Instr* i, uint64_t members, const SyncOperands& operands, SyncBody body) {
  Worker& worker = *w.worker;
  const auto row = [&](int k) { return worker.sync_rows + static_cast<size_t>(k) * Worker::kSyncRow; };
  Instr merged = *i;
  uint64_t all = 0;
  for (int k = 0; k < 6; ++k) {
    if (operands.kind[k] != '-') merged.op[k] = OperandRef::kSpecial | static_cast<uint32_t>(row(k) - worker.sync_rows);
    if (operands.kind[k] != 'm') continue;
    auto* const masks = reinterpret_cast<uint32_t*>(row(k));
    for (unsigned lane = 0; lane < worker.program->lanes; ++lane) masks[lane] = static_cast<uint32_t>(members);
  }
  for (const Path& path : w.paths) {
    if (!goes_with(path, i, members)) continue;
    all |= path.mask;
    w.base[0] = w.registers + path.registers;
    for (int k = 0; k < 6; ++k) {
      const char kind = operands.kind[k];
      if (kind == 'a' || kind == 'A')
        copy_lanes(row(k), w.row<std::byte>(path.pc->op[k]), path.mask, kind == 'A' ? 8 : 4);
      if (kind == 'q')
        copy_predicate(*reinterpret_cast<uint64_t*>(row(k)), w.predicate_value(path.pc->op[k]), path.mask);
    }
  }
  std::byte* const specials = w.base[2];
  w.base[2] = worker.sync_rows;
  w.active = all;
  body(w, &merged);
  if (worker.relied_on != 0) note_relied_on(worker, i);
  w.base[2] = specials;
  for (Path& path : w.paths) {
    if (!goes_with(path, i, members)) continue;
    w.base[0] = w.registers + path.registers;
    for (int k = 0; k < 6; ++k) {
      const uint32_t op = path.pc->op[k];
      if (op == OperandRef::kNone) continue;
      if (operands.kind[k] == 'd') copy_lanes(w.row<std::byte>(op), row(k), path.mask, 4);
      if (operands.kind[k] == 'p') copy_predicate(w.predicate(op), *reinterpret_cast<uint64_t*>(row(k)), path.mask);
    }
  }
  for (Path& path : w.paths) {
    if (!goes_with(path, i, members)) continue;
    if (worker.checks != nullptr) worker.checks->have_come(w, path.pc);
    path.wait_mask = 0;  // no longer waits for other lanes
    path.state = State::ready;
    ++path.pc;
  }
  // One warp instruction of all the lanes it brought together.
  ++worker.warp_instructions;
  worker.thread_instructions += static_cast<uint64_t>(std::popcount(all));
  reunite(w);
}

bool complete(const Warp& w, const Instr* i, uint64_t members) {
  uint64_t together = 0;
  for (const Path& path : w.paths) {
    if (goes_with(path, i, members)) together |= path.mask;
  }
  return (members & w.alive & ~together) == 0;
}

}  // namespace

void note_relied_on(Worker& worker, const Instr* i) {
  for (size_t k = 0; k < worker.relied_on_at.size(); ++k) {
    const Instr*& first = worker.relied_on_at[k];
    if ((worker.relied_on >> k & 1) != 0 && (first == nullptr || i < first)) first = i;
  }
  worker.relied_on = 0;
}

const Instr* wait_for_members(Warp& w, const Instr* i, const SyncOperands& operands, SyncBody body) {
  account_pseudo(w, i);
  // A path for each mask: its lanes wait for their own members only.
  const uint32_t* const masks = w.row<const uint32_t>(i->op[operands.mask()]);
  const int32_t current = w.current;
  uint64_t own[64];
  size_t groups = 0;
  for (uint64_t rest = w.active; rest != 0; ++groups) {
    const uint32_t mask = masks[std::countr_zero(rest)];
    uint64_t same = 0;
    for (uint64_t other = rest; other != 0; other &= other - 1) {
      const int lane = std::countr_zero(other);
      if (masks[lane] == mask) same |= uint64_t{1} << lane;
    }
    rest &= ~same;
    const int32_t index = groups == 0 ? current : add_sibling(w, current, same, i);
    Path& path = w.paths[index];
    path.state = State::at_warp_sync;
    path.pc = i;
    path.mask = same;
    path.wait_mask = own[groups] = member_lanes(mask);
  }
  for (size_t k = 0; k < groups; ++k) {
    if (complete(w, i, own[k])) execute(w, i, own[k], operands, body);
  }
  return next_path(w);
}

}  // namespace bankshot::simt
