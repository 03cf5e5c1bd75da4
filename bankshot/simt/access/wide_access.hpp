// ld.b128 and st.b128, whose value is one register of 16 bytes: lane after lane in ascending order. What the handlers
// find is as of other loads and stores: lower_memory.hpp.
#pragma once

#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

inline constexpr unsigned kWideBytes = 16;

const Instr* run_wide_load(Warp& w, const Instr* i);
const Instr* run_wide_store(Warp& w, const Instr* i);

}  // namespace bankshot::simt
