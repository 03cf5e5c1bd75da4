// Small matrices over GF(2): a row is a mask of columns.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace bankshot::scratchpad {

/// The lowest `count` bits, at most 32.
inline uint32_t low_bits(unsigned count) { return count >= 32 ? ~0u : (1u << count) - 1; }

inline unsigned parity(uint32_t bits) { return static_cast<unsigned>(std::popcount(bits)) & 1; }

/// The reduced row echelon form: the same for all matrices of one row space. Zero rows are dropped; pivots are the
/// highest columns of their rows, in descending order.
std::vector<uint32_t> reduced(std::span<const uint32_t> rows);
/// The same with the lowest columns as pivots, in ascending order.
std::vector<uint32_t> reduced_from_below(std::span<const uint32_t> rows);
unsigned rank(std::span<const uint32_t> rows);

/// A basis of the vectors x of `columns` bits with parity(x & row) = 0 for every row.
std::vector<uint32_t> null_space(std::span<const uint32_t> rows, unsigned columns);

/// The part of `x` that the span of a reduced basis does not hold: 0 if x lies in it.
uint32_t residue(uint32_t x, std::span<const uint32_t> reduced_basis);

}  // namespace bankshot::scratchpad
