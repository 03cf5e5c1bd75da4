#include "bankshot/rewrite/place_terms.hpp"

#include <bit>
#include <map>

#include "bankshot/support/round_up.hpp"

namespace bankshot::rewrite {

uint32_t PlaceTerms::place(uint32_t offset) const {
  // Rows before the start count as well: a register may hold less than what all its accesses add to it.
  if (padding != 0)
    return offset + static_cast<uint32_t>(static_cast<int32_t>(offset) >> std::countr_zero(row_bytes)) * padding;
  uint32_t moved = offset;
  for (const Term& term : terms) moved ^= (term.shift >= 0 ? offset >> term.shift : offset << -term.shift) & term.mask;
  return moved;
}

uint64_t PlaceTerms::size(uint64_t bytes) const {
  return round_up(bytes, row_bytes) / row_bytes * (row_bytes + padding);
}

namespace {

unsigned unbroken_bytes(const scratchpad::BankHash& hash, unsigned word_bytes) {
  // The low k bits must stay where they are and move no others.
  unsigned k = 0;
  for (; k < hash.bank_bits; ++k) {
    if (hash.row[k] != 1u << k) break;
    bool moves_others = false;
    for (unsigned i = 0; i < hash.bank_bits; ++i) moves_others |= i != k && (hash.row[i] >> k & 1) != 0;
    if (moves_others) break;
  }
  return word_bytes << k;
}

}  // namespace

PlaceTerms place_terms(const scratchpad::BankHash& hash, unsigned word_bytes) {
  const int unit = std::countr_zero(word_bytes);
  PlaceTerms all;
  all.row_bytes = hash.banks() * word_bytes;
  all.period = all.row_bytes;
  all.unbroken = unbroken_bytes(hash, word_bytes);
  // Bank bit i differs from address bit i by the parity of the bits that only one of row[i] and bit i itself has.
  std::map<int, uint32_t> masks;
  for (unsigned i = 0; i < hash.bank_bits; ++i) {
    for (uint32_t rest = hash.row[i] ^ (1u << i); rest != 0; rest &= rest - 1) {
      const int source = std::countr_zero(rest);
      masks[source - static_cast<int>(i)] |= 1u << (static_cast<int>(i) + unit);
      all.period = std::max(all.period, 2u << (source + unit));
    }
  }
  for (const auto& [shift, mask] : masks) all.terms.push_back({shift, mask});
  return all;
}

PlaceTerms place_terms(const scratchpad::Padding& padding) {
  PlaceTerms all;
  all.row_bytes = all.period = all.unbroken = padding.row * 4;
  all.padding = padding.words * 4;
  return all;
}

}  // namespace bankshot::rewrite
