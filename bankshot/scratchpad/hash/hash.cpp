#include "bankshot/scratchpad/hash/hash.hpp"

#include <algorithm>

#include "bankshot/scratchpad/hash/gf2.hpp"

namespace bankshot::scratchpad {

unsigned BankHash::bank(uint32_t word) const {
  if (formula != nullptr) return formula->bank(word, size());
  unsigned bank = 0;
  for (unsigned i = 0; i < bank_bits; ++i) bank |= parity(word & row[i]) << i;
  return bank;
}

bool is_full_rank(const BankHash& hash) {
  return hash.linear() ? rank(hash.rows()) == hash.bank_bits : hash.formula->in_place;
}

bool is_in_place(const BankHash& hash) {
  if (!hash.linear()) return hash.formula->in_place;
  std::vector<uint32_t> low;
  for (const uint32_t row : hash.rows()) low.push_back(row & low_bits(hash.bank_bits));
  return rank(low) == hash.bank_bits;
}

std::optional<BankHash> in_place_form(const BankHash& hash) {
  if (!hash.linear() || !is_in_place(hash)) return std::nullopt;
  // The lowest pivots are the low bits, each in a row of its own.
  return *rows_hash(hash.size(), reduced_from_below(hash.rows()));
}

}  // namespace bankshot::scratchpad
