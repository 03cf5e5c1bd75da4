#include "bankshot/verify/loads.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/base/clones.hpp"

namespace bankshot::verify {
namespace {

constexpr unsigned kAddressBits = 16;

/// Words in the fullest half of the cells; each is as many numbers as `odd`.
BANKSHOT_CLONES
uint64_t fullest_half(const uint64_t* cells, size_t count, const uint64_t* odd, size_t blocks) {
  uint64_t most = 0;
  for (size_t c = 0; c < count; ++c, cells += blocks) {
    uint64_t in = 0, out = 0;
    for (size_t b = 0; b < blocks; ++b) {
      in += static_cast<uint64_t>(std::popcount(cells[b] & odd[b]));
      out += static_cast<uint64_t>(std::popcount(cells[b] & ~odd[b]));
    }
    most = std::max(most, std::max(in, out));
  }
  return most;
}

}  // namespace

Loads::Loads(const std::vector<Group>& groups, unsigned bank_bits) : bank_bits_(bank_bits) {
  for (const Group& group : groups) {
    const size_t blocks = (group.words.size() + 63) / 64;
    Own own{group.weight, 1, Mask(kAddressBits * blocks, 0), {}, {}};
    Mask all(blocks, 0);
    uint64_t equal = 0;
    for (size_t k = 0; k < group.words.size(); ++k) {
      equal = k != 0 && group.words[k] == group.words[k - 1] ? equal + 1 : 1;
      own.equal = std::max(own.equal, equal);
      all[k / 64] |= uint64_t{1} << k % 64;
      for (unsigned bit = 0; bit < kAddressBits; ++bit)
        own.with_bit[bit * blocks + k / 64] |= uint64_t{group.words[k] >> bit & 1} << k % 64;
    }
    for (unsigned rows = 0; rows <= bank_bits; ++rows) own.cells.emplace_back(blocks << rows, 0);
    own.cells[0] = all;
    own.least.assign(bank_bits + 1, 0);
    own.least[0] = excess(own, group.words.size(), 0);
    groups_.push_back(std::move(own));
  }
}

uint64_t Loads::excess(const Own& own, uint64_t fullest, unsigned rows) const {
  const unsigned to_come = bank_bits_ - rows;
  return own.weight * (std::max((fullest + (uint64_t{1} << to_come) - 1) >> to_come, own.equal) - 1);
}

void Loads::odd_words(const Own& own, uint32_t row, Mask& odd) {
  const size_t blocks = own.cells[0].size();
  odd.resize(blocks);
  for (size_t b = 0; b < blocks; ++b) {
    uint64_t sum = 0;
    for (uint32_t rest = row; rest != 0; rest &= rest - 1) {
      sum ^= own.with_bit[static_cast<size_t>(std::countr_zero(rest)) * blocks + b];
    }
    odd[b] = sum;
  }
}

uint64_t Loads::least() const {
  uint64_t sum = 0;
  for (const Own& own : groups_) sum += own.least[rows_];
  return sum;
}

uint64_t Loads::least(uint32_t row, uint64_t enough) const {
  uint64_t sum = least();
  for (const Own& own : groups_) {
    if (sum >= enough) break;
    odd_words(own, row, odd_);
    sum += excess(own, fullest_half(own.cells[rows_].data(), size_t{1} << rows_, odd_.data(), odd_.size()), rows_ + 1) -
           own.least[rows_];
  }
  return sum;
}

void Loads::add(uint32_t row) {
  for (Own& own : groups_) {
    odd_words(own, row, odd_);
    const Mask& cells = own.cells[rows_];
    Mask& halves = own.cells[rows_ + 1];
    const size_t blocks = odd_.size();
    for (size_t k = 0; k < cells.size(); ++k) {
      const size_t half = k / blocks * 2 * blocks + k % blocks;
      halves[half] = cells[k] & odd_[k % blocks];
      halves[half + blocks] = cells[k] & ~odd_[k % blocks];
    }
    own.least[rows_ + 1] = excess(own, fullest_half(cells.data(), size_t{1} << rows_, odd_.data(), blocks), rows_ + 1);
  }
  ++rows_;
}

void Loads::take_back() { --rows_; }

}  // namespace bankshot::verify
