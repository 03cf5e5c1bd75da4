// How texture and surface instructions run: handlers that are the same for every instruction set of the host.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/simt/state/texture_op.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

const Instr* run_texture(Warp& w, const Instr* i);          ///< tex, tld4
const Instr* run_surface(Warp& w, const Instr* i);          ///< suld, sust, sured
const Instr* run_texture_query(Warp& w, const Instr* i);    ///< txq, suq
const Instr* run_texture_is_type(Warp& w, const Instr* i);  ///< istypep

/// The texels that an instruction accesses, row by row: the first one of each lane, the second …
struct TexelAddresses {
  struct Row {
    uint64_t lanes = 0;
    std::array<uint64_t, scratchpad::kMaxLanes> address;
  };
  unsigned width = 4;  ///< bytes of each
  unsigned count = 0;
  std::array<Row, texture::Taps::kMost> row;
};
/// What the border or nothing answers is not among them; nor is what would be a fault.
void texel_addresses_of(const Warp& w, const Instr* i, uint64_t lanes, TexelAddresses& to);

}  // namespace bankshot::simt
