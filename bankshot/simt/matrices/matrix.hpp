// Instructions that move matrices between memory and the fragments of a warp: wmma.load, wmma.store, ldmatrix,
// stmatrix, movmatrix. Handlers that are the same for every instruction set of the host. Layout of the Instr:
// lower_matrix.hpp
#pragma once

#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

const Instr* run_wmma_load(Warp& w, const Instr* i);
const Instr* run_wmma_store(Warp& w, const Instr* i);
const Instr* run_ldmatrix(Warp& w, const Instr* i);
const Instr* run_stmatrix(Warp& w, const Instr* i);
/// ldmatrix of .m16n16 (with .trans) and .m8n16, stmatrix of .m16n8: matrices of bytes. op[3]: bits of an element in
/// memory
const Instr* run_ldmatrix_bytes(Warp& w, const Instr* i);
const Instr* run_stmatrix_bytes(Warp& w, const Instr* i);
const Instr* run_movmatrix(Warp& w, const Instr* i);

/// An instruction with InstrFlag::kAligned is executed by all lanes of a warp, or by none. Lanes that come first wait
/// for the rest. @return false if they do, and after a fault
bool whole_warp(Warp& w, const Instr* i);
/// The handler of an aligned instruction without another effect.
const Instr* run_whole_warp(Warp& w, const Instr* i);

/// For who wants the memory that an instruction with InstrFlag::kMatrix accesses, before it does: its bytes, dealt out
/// to lanes in pieces of matrix_piece() bytes. Space is not looked at: addresses are as the instruction has them.
/// @return the lanes that got one
uint64_t matrix_addresses(const Warp& w, const Instr* i, LaneAddresses& to);
/// A power of two up to 32.
unsigned matrix_piece(const Instr& i);

}  // namespace bankshot::simt
