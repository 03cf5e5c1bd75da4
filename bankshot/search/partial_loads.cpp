#include "bankshot/search/partial_loads.hpp"

#include <algorithm>
#include <array>

#include "bankshot/scratchpad/base/clones.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/ones.hpp"

namespace bankshot::search {
namespace {

using Row = Sides::Row;

[[gnu::always_inline]] inline void odd_words(const Sides::Side& side, uint32_t row, Row& odd) {
  const Row &a = side.odd[0][row & 15], &b = side.odd[1][row >> 4 & 15];
  const Row &c = side.odd[2][row >> 8 & 15], &d = side.odd[3][row >> 12 & 15];
  for (unsigned g = 0; g < kSide; ++g) odd[g] = a[g] ^ b[g] ^ c[g] ^ d[g];
}

/// What least() needs of all sides, in one piece for the vector code.
struct View {
  const Sides::Side* sides;
  const Row* cells;  ///< 2^depth of each side
  const Row* least_degree;
  const uint64_t* weights;
  const uint64_t* rest;
  size_t count;
  unsigned depth, left;  ///< rows so far, and to come after this one
};

/// Weighted least excess of one side when a row cuts all cells in two.
template <bool Instruction>
[[gnu::always_inline]] inline uint64_t least_of_side(const View& v, size_t side, uint32_t row) {
  alignas(64) Row odd, most;
  odd_words(v.sides[side], row, odd);
  for (unsigned g = 0; g < kSide; ++g) most[g] = 0;
  for (size_t c = side << v.depth; c < (side + 1) << v.depth; ++c) {
    const Row& words = v.cells[c];
    for (unsigned g = 0; g < kSide; ++g) {
      const uint32_t in = ones<Instruction>(words[g] & odd[g]), out = ones<Instruction>(words[g] & ~odd[g]);
      most[g] = std::max(most[g], std::max(in, out));
    }
  }
  const uint32_t up = (1u << v.left) - 1;
  uint64_t sum = 0;
  for (unsigned g = 0; g < kSide; ++g) {
    sum += v.weights[side * kSide + g] * (std::max((most[g] + up) >> v.left, v.least_degree[side][g]) - 1);
  }
  return sum;
}

/// Of all sides; of fewer if these and what the rest has at least are enough.
template <bool Instruction>
[[gnu::always_inline]] inline uint64_t least_of_sides(const View& v, uint32_t row, uint64_t enough) {
  uint64_t sum = 0;
  for (size_t side = 0; side < v.count; ++side) {
    sum += least_of_side<Instruction>(v, side, row);
    if (sum + v.rest[side + 1] >= enough) return sum + v.rest[side + 1];
  }
  return sum;
}

BANKSHOT_CLONES
uint64_t least_anywhere(const View& v, uint32_t row, uint64_t enough) { return least_of_sides<false>(v, row, enough); }
BANKSHOT_COUNTING
uint64_t least_counting(const View& v, uint32_t row, uint64_t enough) { return least_of_sides<true>(v, row, enough); }

uint64_t least_of(const View& v, uint32_t row, uint64_t enough) {
  return host_counts_in_vectors() ? least_counting(v, row, enough) : least_anywhere(v, row, enough);
}

}  // namespace

uint64_t least_degree(const scratchpad::Group& group, unsigned bank_bits) {
  uint64_t most_equal = 1, equal = 1;
  for (size_t k = 1; k < group.words.size(); ++k) {
    equal = group.words[k] == group.words[k - 1] ? equal + 1 : 1;
    most_equal = std::max(most_equal, equal);
  }
  return std::max<uint64_t>(most_equal, (group.words.size() + (size_t{1} << bank_bits) - 1) >> bank_bits);
}

PartialLoads::PartialLoads(std::span<const scratchpad::Group> groups, unsigned bank_bits)
    : sides_(groups), bank_bits_(bank_bits) {
  const size_t sides = sides_.sides.size();
  least_degree_.resize(sides);
  for (Cell& side : least_degree_) std::fill(std::begin(side.words), std::end(side.words), 1u);
  for (size_t k = 0; k < sides * kSide; ++k) {
    if (sides_.weights[k] == 0) continue;  // padding
    least_degree_[k / kSide].words[k % kSide] = static_cast<uint32_t>(least_degree(groups[sides_.index[k]], bank_bits));
  }
  for (const Sides::Large& large : sides_.large) {
    large_.push_back({large.weight, least_degree(groups[large.index], bank_bits), large.words,
                      std::vector<uint8_t>(large.words.size(), 0)});
  }
  cells_.resize(bank_bits + 1);
  rest_.resize(bank_bits + 1);
  for (unsigned d = 0; d <= bank_bits; ++d) {
    cells_[d].resize(sides << d);
    rest_[d].assign(sides + 2, 0);
  }
  uint64_t rest = 0;
  for (const Large& large : large_) rest += large.weight * (large.least_degree - 1);
  rest_[0][sides] = rest;
  for (size_t s = sides; s-- > 0;) {
    std::copy(std::begin(sides_.sides[s].all), std::end(sides_.sides[s].all), cells_[0][s].words);
    for (unsigned g = 0; g < kSide; ++g) rest += sides_.weights[s * kSide + g] * (least_degree_[s].words[g] - 1);
    rest_[0][s] = rest;
  }
}

/// @param depth  bits of the cells of `large`; the row makes one more
uint64_t PartialLoads::least_of_large(const Large& large, uint32_t row, unsigned depth) const {
  std::array<uint32_t, scratchpad::kMaxBanks> load{};
  uint64_t most = 0;
  for (size_t k = 0; k < large.words.size(); ++k) {
    most = std::max<uint64_t>(most, ++load[large.cell[k] | scratchpad::parity(large.words[k] & row) << depth]);
  }
  const unsigned left = bank_bits_ - depth - 1;
  most = (most + (uint64_t{1} << left) - 1) >> left;
  return large.weight * (std::max(most, large.least_degree) - 1);
}

uint64_t PartialLoads::least(uint32_t row, uint64_t enough) const {
  const size_t sides = sides_.sides.size();
  uint64_t sum = 0;
  if (sides != 0) {
    const View all{sides_.sides.data(),
                   &cells_[depth_].data()->words,
                   &least_degree_.data()->words,
                   sides_.weights.data(),
                   rest_[depth_].data(),
                   sides,
                   depth_,
                   bank_bits_ - depth_ - 1};
    sum = least_of(all, row, enough);
  }
  if (large_.empty() || sum + rest_[depth_][sides] >= enough) return sum;
  for (const Large& large : large_) sum += least_of_large(large, row, depth_);
  return sum;
}

void PartialLoads::push(uint32_t row) {
  const size_t sides = sides_.sides.size(), count = size_t{1} << depth_;
  static constexpr uint64_t kNothing[2] = {};
  uint64_t rest = 0;
  for (Large& large : large_) {
    rest += least_of_large(large, row, depth_);
    for (size_t k = 0; k < large.words.size(); ++k) {
      large.cell[k] = static_cast<uint8_t>(large.cell[k] | scratchpad::parity(large.words[k] & row) << depth_);
    }
  }
  rest_[depth_ + 1][sides] = rest;
  for (size_t side = sides; side-- > 0;) {
    const View one{&sides_.sides[side],
                   &cells_[depth_][side * count].words,
                   &least_degree_[side].words,
                   &sides_.weights[side * kSide],
                   kNothing,
                   1,
                   depth_,
                   bank_bits_ - depth_ - 1};
    rest += least_of(one, row, ~uint64_t{0});
    rest_[depth_ + 1][side] = rest;
    alignas(64) Row odd;
    odd_words(sides_.sides[side], row, odd);
    for (size_t c = 0; c < count; ++c) {
      const Row& words = cells_[depth_][side * count + c].words;
      Row &in = cells_[depth_ + 1][2 * (side * count + c)].words,
          &out = cells_[depth_ + 1][2 * (side * count + c) + 1].words;
      for (unsigned g = 0; g < kSide; ++g) in[g] = words[g] & odd[g];
      for (unsigned g = 0; g < kSide; ++g) out[g] = words[g] & ~odd[g];
    }
  }
  ++depth_;
}

void PartialLoads::pop() {
  --depth_;
  for (Large& large : large_) {
    for (uint8_t& cell : large.cell) cell = static_cast<uint8_t>(cell & ((1u << depth_) - 1));
  }
}

}  // namespace bankshot::search
