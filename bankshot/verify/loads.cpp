#include "bankshot/verify/loads.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/base/clones.hpp"

namespace bankshot::verify {
namespace {

constexpr unsigned kAddressBits = 16;
constexpr size_t kTogether = 8;

/// What a team's groups cost if a row cuts each of their cells in two.
struct Cells {
  const uint64_t* cells;  ///< by cell, block, group
  size_t count, blocks;   ///< cells of a group, numbers of a cell
  const uint64_t* odd;    ///< by block, group
  const uint64_t *weights, *equal;
  unsigned to_come;  ///< rows, after this one
};

/// @param fullest  by group: words in its fullest half of a cell
/// @return the sum over the groups of weight * (words that share a bank at least - 1)
uint64_t excess(const Cells& team, const uint64_t* fullest) {
  uint64_t sum = 0;
  const uint64_t up = (uint64_t{1} << team.to_come) - 1;
  for (size_t g = 0; g < kTogether; ++g)
    sum += team.weights[g] * (std::max((fullest[g] + up) >> team.to_come, team.equal[g]) - 1);
  return sum;
}

BANKSHOT_CLONES
uint64_t portable(const Cells& team) {
  uint64_t fullest[kTogether] = {};
  const uint64_t* cell = team.cells;
  for (size_t c = 0; c < team.count; ++c, cell += team.blocks * kTogether) {
    for (size_t g = 0; g < kTogether; ++g) {
      uint64_t in = 0, out = 0;
      for (size_t k = g; k < team.blocks * kTogether; k += kTogether) {
        in += static_cast<uint64_t>(std::popcount(cell[k] & team.odd[k]));
        out += static_cast<uint64_t>(std::popcount(cell[k] & ~team.odd[k]));
      }
      fullest[g] = std::max(fullest[g], std::max(in, out));
    }
  }
  return excess(team, fullest);
}

using Excess = uint64_t (*)(const Cells&);

#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx512f,avx512vpopcntdq")]] uint64_t vectors(const Cells& team) {
  __m512i fullest = _mm512_setzero_si512();
  const uint64_t* cell = team.cells;
  for (size_t c = 0; c < team.count; ++c) {
    __m512i in = _mm512_setzero_si512(), out = in;
    for (size_t b = 0; b < team.blocks; ++b, cell += kTogether) {
      const __m512i words = _mm512_loadu_si512(cell), odd = _mm512_loadu_si512(team.odd + b * kTogether);
      in = _mm512_add_epi64(in, _mm512_popcnt_epi64(_mm512_and_si512(words, odd)));
      out = _mm512_add_epi64(out, _mm512_popcnt_epi64(_mm512_andnot_si512(odd, words)));
    }
    fullest = _mm512_max_epu64(fullest, _mm512_max_epu64(in, out));
  }
  uint64_t by_group[kTogether];
  _mm512_storeu_si512(by_group, fullest);
  return excess(team, by_group);
}

const Excess kExcess = __builtin_cpu_supports("avx512vpopcntdq") ? vectors : portable;
#else
const Excess kExcess = portable;
#endif

}  // namespace

Loads::Loads(const std::vector<Group>& groups, unsigned bank_bits) : bank_bits_(bank_bits) {
  std::vector<const Group*> by_size;  // so that groups of a team have about as many numbers
  for (const Group& group : groups) by_size.push_back(&group);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const Group* a, const Group* b) { return a->words.size() > b->words.size(); });
  size_t numbers = 0;
  for (size_t g = 0; g < by_size.size(); g += kTogether) {
    teams_.push_back({numbers, std::max<size_t>(1, (by_size[g]->words.size() + 63) / 64)});
    numbers += teams_.back().blocks * kTogether;
  }
  with_bit_.assign(kAddressBits * numbers, 0);
  for (unsigned rows = 0; rows <= bank_bits; ++rows) cells_.emplace_back(numbers << rows, 0);
  least_.assign(bank_bits + 1, 0);
  weights_.assign(teams_.size() * kTogether, 0);
  equal_.assign(teams_.size() * kTogether, 1);
  odd_.assign(numbers, 0);
  for (size_t g = 0; g < by_size.size(); ++g) {
    const Group& group = *by_size[g];
    weights_[g] = group.weight;
    uint64_t equal = 0;
    for (size_t k = 0; k < group.words.size(); ++k) {
      equal = k != 0 && group.words[k] == group.words[k - 1] ? equal + 1 : 1;
      equal_[g] = std::max(equal_[g], equal);
      const size_t at = teams_[g / kTogether].first + k / 64 * kTogether + g % kTogether;
      cells_[0][at] |= uint64_t{1} << k % 64;
      for (unsigned bit = 0; bit < kAddressBits; ++bit)
        with_bit_[bit * numbers + at] |= uint64_t{group.words[k] >> bit & 1} << k % 64;
    }
    const uint64_t share = (group.words.size() + (uint64_t{1} << bank_bits) - 1) >> bank_bits;
    least_[0] += group.weight * (std::max(share, equal_[g]) - 1);
  }
}

void Loads::odd_words(uint32_t row) const {
  std::fill(odd_.begin(), odd_.end(), uint64_t{0});
  for (uint32_t rest = row; rest != 0; rest &= rest - 1) {
    const uint64_t* const with = &with_bit_[static_cast<size_t>(std::countr_zero(rest)) * odd_.size()];
    for (size_t k = 0; k < odd_.size(); ++k) odd_[k] ^= with[k];
  }
}

uint64_t Loads::least(uint32_t row, uint64_t enough) const {
  odd_words(row);
  uint64_t sum = 0;
  for (size_t t = 0; t < teams_.size() && sum < enough; ++t) {
    const Team& team = teams_[t];
    sum += kExcess({&cells_[rows_][team.first << rows_], size_t{1} << rows_, team.blocks, &odd_[team.first],
                    &weights_[t * kTogether], &equal_[t * kTogether], bank_bits_ - rows_ - 1});
  }
  return sum;
}

void Loads::add(uint32_t row) {
  least_[rows_ + 1] = least(row, UINT64_MAX);  // and the odd words
  const uint64_t* cell = cells_[rows_].data();
  uint64_t* half = cells_[rows_ + 1].data();
  for (const Team& team : teams_) {
    const size_t numbers = team.blocks * kTogether;
    const uint64_t* const odd = &odd_[team.first];
    for (size_t c = 0; c < size_t{1} << rows_; ++c, cell += numbers, half += 2 * numbers) {
      for (size_t k = 0; k < numbers; ++k) {
        half[k] = cell[k] & odd[k];
        half[k + numbers] = cell[k] & ~odd[k];
      }
    }
  }
  ++rows_;
}

}  // namespace bankshot::verify
