#include "bankshot/simt/state/native.hpp"

#include <utility>

#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

namespace {

const Instr* execute(NativeCode code, Warp& w, uint32_t at) {
  Worker& worker = *w.worker;
  const uint64_t rest = worker.warp_instructions - worker.native_instructions;  // the code may come here itself
  const Instr* const next = code(w, at);
  worker.native_instructions = worker.warp_instructions - rest;
  return next;
}

}  // namespace

const Instr* run_native(Warp& w, const Instr* i) {
  const NativeProgram& native = *w.worker->native;
  if (const NativeCode waited = std::exchange(w.native, nullptr)) i = execute(waited, w, w.native_at);
  while (i != nullptr) {
    NativeEntry& entry = native.entries[i - native.code];
    NativeCode code = nullptr;
    if (w.active == native.all_lanes) code = entry.whole.load(std::memory_order_acquire);
    if (code == nullptr) code = entry.part.load(std::memory_order_acquire);
    const Instr* next = code == nullptr ? kRefused : execute(code, w, 0);
    while (next == kRefused) {
      const uint32_t visits = entry.visits.load(std::memory_order_relaxed) + 1;
      entry.visits.store(visits, std::memory_order_relaxed);  // threads may miss some of each other's
      if (visits % native.patience != 0) return i;
      code = native.maker->wanted(w, i, code != nullptr);
      if (code == nullptr) return i;
      next = execute(code, w, 0);
    }
    i = next;
  }
  return nullptr;
}

}  // namespace bankshot::simt
