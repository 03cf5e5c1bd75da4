// Arguments and results of calls to functions that the engine provides: words of the caller's local frame.
#pragma once

#include <bit>

#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Word `word` of the call's k-th argument.
inline uint32_t argument_word(const Warp& w, const CallInfo& call, size_t k, uint32_t word, unsigned lane) {
  const uint32_t row = (w.local_frame + call.arguments[k].from) / 4 + word;
  return reinterpret_cast<const uint32_t*>(w.local)[row * w.worker->program->lanes + lane];
}

/// Value of the call's k-th argument, of up to 8 bytes.
inline uint64_t argument(const Warp& w, const CallInfo& call, size_t k, unsigned lane) {
  uint64_t value = argument_word(w, call, k, 0, lane);
  if (call.arguments[k].bytes > 4) value |= uint64_t{argument_word(w, call, k, 1, lane)} << 32;
  return value;
}

/// What the call returns to a lane, if it returns anything: as many bytes as its result has.
inline void return_value(Warp& w, const CallInfo& call, unsigned lane, uint64_t value) {
  if (call.results.empty()) return;
  const unsigned lanes = w.worker->program->lanes;
  auto* const words = reinterpret_cast<uint32_t*>(w.local) + (w.local_frame + call.results[0].to) / 4 * lanes + lane;
  words[0] = static_cast<uint32_t>(value);
  if (call.results[0].bytes > 4) words[lanes] = static_cast<uint32_t>(value >> 32);
}

/// f(lane) for the lanes that execute, ascending.
template <class F>
void for_lanes(const Warp& w, F f) {
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) f(static_cast<unsigned>(std::countr_zero(rest)));
}

/// f(lane) for the lanes that execute, until it returns false. @return the next instruction, null after a fault
template <class F>
const Instr* each_lane(const Warp& w, const Instr* i, F f) {
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    if (!f(static_cast<unsigned>(std::countr_zero(rest)))) return nullptr;
  }
  return i + 1;
}

}  // namespace bankshot::simt
