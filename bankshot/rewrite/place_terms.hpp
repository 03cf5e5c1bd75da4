// An in-place hash as arithmetic on byte offsets: what moves a word to its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::rewrite {

/// place(offset) = offset ^ (XOR over all terms of ((offset >> shift) & mask)); a negative shift goes left. Offsets
/// count bytes from the array's start, which is aligned to a row: so the offset's low bits are the address's.
struct PlaceTerms {
  struct Term {
    int shift = 0;
    uint32_t mask = 0;  ///< inside the bank bits of a byte offset
  };
  std::vector<Term> terms;   ///< one for each distance that bits are moved, in ascending order
  uint32_t row_bytes = 128;  ///< words that are permuted among each other
  uint32_t period = 128;     ///< adding multiples of it to an offset adds them to its place, too

  uint32_t place(uint32_t offset) const;
};

/// @param hash  linear and in place: scratchpad::is_in_place; bank words are of `word_bytes`: 4 or 8
PlaceTerms place_terms(const scratchpad::BankHash& hash, unsigned word_bytes);

/// How many bytes from a multiple of as many always stay together and in order: the widest access that may be
/// rewritten.
unsigned unbroken_bytes(const scratchpad::BankHash& hash, unsigned word_bytes);

}  // namespace bankshot::rewrite
