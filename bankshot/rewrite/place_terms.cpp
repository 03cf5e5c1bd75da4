#include "bankshot/rewrite/place_terms.hpp"

#include <bit>
#include <map>

namespace bankshot::rewrite {

uint32_t PlaceTerms::place(uint32_t offset) const {
  uint32_t moved = offset;
  for (const Term& term : terms) moved ^= (term.shift >= 0 ? offset >> term.shift : offset << -term.shift) & term.mask;
  return moved;
}

PlaceTerms place_terms(const scratchpad::BankHash& hash, unsigned word_bytes) {
  const int unit = std::countr_zero(word_bytes);
  PlaceTerms all;
  all.row_bytes = hash.banks() * word_bytes;
  all.period = all.row_bytes;
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

}  // namespace bankshot::rewrite
