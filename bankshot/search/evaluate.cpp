#include "bankshot/search/evaluate.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "bankshot/scratchpad/clones.hpp"
#include "bankshot/scratchpad/gf2.hpp"

namespace bankshot::search {
namespace {

constexpr unsigned kSide = Evaluator::kSide;
using Row = uint32_t[kSide];
static_assert(Evaluator::kParts == 4, "a row is looked up in four parts");

/// @tparam Instruction  whether the host counts bits in vectors
template <bool Instruction>
[[gnu::always_inline]] inline uint32_t ones(uint32_t x) {
  if constexpr (Instruction) return static_cast<uint32_t>(__builtin_popcount(x));
  x -= x >> 1 & 0x55555555u;  // what compilers turn into vector code
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  x += x >> 8;
  return (x + (x >> 16)) & 63;
}

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
[[gnu::always_inline]] inline void degrees_of_bits(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  switch (bits) {
    case 1: return degrees_of<1, Instruction>(all, odd, rows, most);
    case 2: return degrees_of<2, Instruction>(all, odd, rows, most);
    case 3: return degrees_of<3, Instruction>(all, odd, rows, most);
    case 4: return degrees_of<4, Instruction>(all, odd, rows, most);
    case 5: return degrees_of<5, Instruction>(all, odd, rows, most);
    default: return degrees_of<6, Instruction>(all, odd, rows, most);
  }
}

BANKSHOT_CLONES
void degrees_anywhere(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  degrees_of_bits<false>(bits, all, odd, rows, most);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,prefer-vector-width=512")))
void degrees_counting(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  degrees_of_bits<true>(bits, all, odd, rows, most);
}

void degrees_of_side(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  static const bool counts = __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl") &&
                             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  return counts ? degrees_counting(bits, all, odd, rows, most) : degrees_anywhere(bits, all, odd, rows, most);
}
#else
void degrees_of_side(unsigned bits, const Row& all, const Row (*odd)[16], const uint32_t* rows, Row& most) {
  degrees_anywhere(bits, all, odd, rows, most);
}
#endif

uint32_t degree_of(const std::vector<uint32_t>& words, std::span<const uint32_t> rows) {
  std::array<uint32_t, 1u << scratchpad::kMaxBankBits> load{};
  uint32_t most = 0;
  for (uint32_t word : words) {
    unsigned bank = 0;
    for (size_t i = 0; i < rows.size(); ++i) bank |= scratchpad::parity(word & rows[i]) << i;
    most = std::max(most, ++load[bank]);
  }
  return most;
}

}  // namespace

Evaluator::Evaluator(std::span<const scratchpad::Group> groups) : groups_(groups.size()) {
  size_t side = kSide;  // groups in the last side
  for (size_t k = 0; k < groups.size(); ++k) {
    const scratchpad::Group& group = groups[k];
    if (group.words.size() > 32) {
      large_.push_back({group.weight, group.words, k});
      continue;
    }
    if (side == kSide) {
      sides_.push_back({});
      weights_.resize(weights_.size() + kSide, 0);
      index_.resize(index_.size() + kSide, 0);
      side = 0;
    }
    Side& to = sides_.back();
    for (size_t word = 0; word < group.words.size(); ++word) {
      to.all[side] |= 1u << word;
      for (unsigned part = 0; part < kParts; ++part) {
        const uint32_t own = group.words[word] >> 4 * part & 15;
        for (uint32_t row = 0; row < 16; ++row) to.odd[part][row][side] |= scratchpad::parity(own & row) << word;
      }
    }
    weights_[weights_.size() - kSide + side] = group.weight;
    index_[index_.size() - kSide + side] = k;
    ++side;
  }
}

uint64_t Evaluator::excess(std::span<const uint32_t> rows) const {
  uint64_t sum = 0;
  alignas(64) Row most;
  for (size_t side = 0; side < sides_.size(); ++side) {
    degrees_of_side(static_cast<unsigned>(rows.size()), sides_[side].all, sides_[side].odd, rows.data(), most);
    const uint64_t* weight = weights_.data() + side * kSide;
    for (unsigned g = 0; g < kSide; ++g) sum += weight[g] * (uint64_t{most[g]} - 1) * (weight[g] != 0);
  }
  for (const Large& large : large_) sum += large.weight * (degree_of(large.words, rows) - 1);
  return sum;
}

std::vector<uint32_t> Evaluator::degrees(std::span<const uint32_t> rows) const {
  std::vector<uint32_t> result(groups_);
  alignas(64) Row most;
  for (size_t side = 0; side < sides_.size(); ++side) {
    degrees_of_side(static_cast<unsigned>(rows.size()), sides_[side].all, sides_[side].odd, rows.data(), most);
    for (unsigned g = 0; g < kSide; ++g) {
      if (weights_[side * kSide + g] != 0) result[index_[side * kSide + g]] = most[g];
    }
  }
  for (const Large& large : large_) result[large.index] = degree_of(large.words, rows);
  return result;
}

}  // namespace bankshot::search
