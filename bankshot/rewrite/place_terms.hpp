// An in-place hash, or padding, as arithmetic on byte offsets: what moves a word to its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"

namespace bankshot::rewrite {

/// Of a hash: place(offset) = offset ^ (XOR over all terms of ((offset >> shift) & mask)); a negative shift goes left.
/// Of padding, which has no terms: place(offset) = offset + offset / row_bytes * padding. Offsets count bytes from the
/// array's start, which is aligned to a row if there is a hash: so the offset's low bits are the address's.
struct PlaceTerms {
  struct Term {
    int shift = 0;
    uint32_t mask = 0;  ///< inside the bank bits of a byte offset
  };
  std::vector<Term> terms;   ///< one for each distance that bits are moved, in ascending order
  uint32_t row_bytes = 128;  ///< of words that are permuted among each other, or stay side by side; a power of two
  uint32_t period = 128;     ///< adding multiples of it to an offset adds the places of these to its place
  uint32_t padding = 0;      ///< bytes behind each row; 0: a hash
  uint32_t unbroken = 4;     ///< bytes from a multiple of as many that always stay together and in order

  uint32_t place(uint32_t offset) const;
  /// What an array of so many bytes takes: whole rows.
  uint64_t size(uint64_t bytes) const;
};

/// @param hash  linear and in place: scratchpad::is_in_place; bank words are of `word_bytes`: 4 or 8
PlaceTerms place_terms(const scratchpad::BankHash& hash, unsigned word_bytes);
/// @param padding  of rows of 4-byte words
PlaceTerms place_terms(const scratchpad::Padding& padding);

}  // namespace bankshot::rewrite
