// The scale factors of mma with .block_scale, from the registers of a warp. The same for every instruction set of the
// host. Layout of the Instr: lower_matrix.hpp
#pragma once

#include "bankshot/simt/matrices/mma_variant.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// Bytes, of which each is a number of the instruction's format. A row of A, or a column of B, has as many as
/// MmaVariant::scales.
struct ScaleFactors {
  uint8_t a[16][4], b[8][4];
};

/// @return false after a fault
bool fetch_scales(Warp& w, const Instr* i, const MmaVariant& variant, ScaleFactors& out);

}  // namespace bankshot::simt
