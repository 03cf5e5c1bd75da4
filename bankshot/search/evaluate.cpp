#include "bankshot/search/evaluate.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "bankshot/scratchpad/base/clones.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/ones.hpp"

namespace bankshot::search {
namespace {

using Row = Sides::Row;
static_assert(Sides::kParts == 4, "a row is looked up in four parts");

/// The words of each bank are what is left of all words when the bank bits are taken one after the other; the fullest
/// bank has `most` of them.
template <unsigned Bits, bool Instruction>
[[gnu::always_inline]] inline void fullest(const Row* bit, const Row& words, Row& most) {
  if constexpr (Bits == 0) {
    for (unsigned g = 0; g < kSide; ++g) most[g] = std::max(most[g], ones<Instruction>(words[g]));
  } else {
    alignas(64) Row part;
    for (unsigned g = 0; g < kSide; ++g) part[g] = words[g] & bit[Bits - 1][g];
    fullest<Bits - 1, Instruction>(bit, part, most);
    for (unsigned g = 0; g < kSide; ++g) part[g] = words[g] & ~bit[Bits - 1][g];
    fullest<Bits - 1, Instruction>(bit, part, most);
  }
}

template <unsigned Bits, bool Instruction>
[[gnu::always_inline]] inline void degrees_of(const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  alignas(64) Row bit[Bits];
  for (unsigned i = 0; i < Bits; ++i) {
    const Row &a = odd[0][rows[i] & 15], &b = odd[1][rows[i] >> 4 & 15];
    const Row &c = odd[2][rows[i] >> 8 & 15], &d = odd[3][rows[i] >> 12 & 15];
    for (unsigned g = 0; g < kSide; ++g) bit[i][g] = a[g] ^ b[g] ^ c[g] ^ d[g];
  }
  for (unsigned g = 0; g < kSide; ++g) most[g] = 0;
  fullest<Bits, Instruction>(bit, all, most);
}

template <bool Instruction>
[[gnu::always_inline]] inline void degrees_of_bits(unsigned bits, const Row& all, const Row (*odd)[16],
                                                   const uint32_t* rows, Row& most) {
  switch (bits) {
    case 1: return degrees_of<1, Instruction>(all, odd, rows, most);
    case 2: return degrees_of<2, Instruction>(all, odd, rows, most);
    case 3: return degrees_of<3, Instruction>(all, odd, rows, most);
    case 4: return degrees_of<4, Instruction>(all, odd, rows, most);
    case 5: return degrees_of<5, Instruction>(all, odd, rows, most);
    case 6: return degrees_of<6, Instruction>(all, odd, rows, most);
    default: return degrees_of<7, Instruction>(all, odd, rows, most);
  }
}

BANKSHOT_CLONES
void degrees_anywhere(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  degrees_of_bits<false>(bits, all, odd, rows, most);
}

BANKSHOT_COUNTING
void degrees_counting(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  degrees_of_bits<true>(bits, all, odd, rows, most);
}

void degrees_of_side(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  return host_counts_in_vectors() ? degrees_counting(bits, all, odd, rows, most)
                                  : degrees_anywhere(bits, all, odd, rows, most);
}

uint32_t degree_of(const std::vector<uint32_t>& words, std::span<const uint32_t> rows) {
  std::array<uint32_t, scratchpad::kMaxBanks> load{};
  uint32_t most = 0;
  for (uint32_t word : words) {
    unsigned bank = 0;
    for (size_t i = 0; i < rows.size(); ++i) bank |= scratchpad::parity(word & rows[i]) << i;
    most = std::max(most, ++load[bank]);
  }
  return most;
}

}  // namespace

Evaluator::Evaluator(std::span<const scratchpad::Group> groups) : sides_(groups) {}

uint64_t Evaluator::excess(std::span<const uint32_t> rows, uint64_t enough) const {
  uint64_t sum = 0;
  alignas(64) Row most;
  for (size_t side = 0; side < sides_.sides.size(); ++side) {
    degrees_of_side(static_cast<unsigned>(rows.size()), sides_.sides[side].all, sides_.sides[side].odd, rows.data(),
                    most);
    const uint64_t* weight = sides_.weights.data() + side * kSide;
    for (unsigned g = 0; g < kSide; ++g) sum += weight[g] * (uint64_t{most[g]} - 1) * (weight[g] != 0);
    if (sum >= enough) return sum;
  }
  for (const Sides::Large& large : sides_.large) sum += large.weight * (degree_of(large.words, rows) - 1);
  return sum;
}

std::vector<uint32_t> Evaluator::degrees(std::span<const uint32_t> rows) const {
  std::vector<uint32_t> result(sides_.groups);
  alignas(64) Row most;
  for (size_t side = 0; side < sides_.sides.size(); ++side) {
    degrees_of_side(static_cast<unsigned>(rows.size()), sides_.sides[side].all, sides_.sides[side].odd, rows.data(),
                    most);
    for (unsigned g = 0; g < kSide; ++g) {
      if (sides_.weights[side * kSide + g] != 0) result[sides_.index[side * kSide + g]] = most[g];
    }
  }
  for (const Sides::Large& large : sides_.large) result[large.index] = degree_of(large.words, rows);
  return result;
}

}  // namespace bankshot::search
