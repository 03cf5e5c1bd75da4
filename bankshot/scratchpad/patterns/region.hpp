// Parts of shared memory that have a bank hash each, and which parts may not differ in it.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::scratchpad {

/// Words (of 4 bytes) begin to end - 1 of a CTA's shared memory.
struct WordRange {
  uint32_t begin = 0, end = 0;
  bool operator==(const WordRange&) const = default;
};

/// Ranges in ascending order, none of them empty, each with a gap before the next.
using WordRanges = std::vector<WordRange>;

/// Adds words to those that are there.
void add(WordRanges& to, WordRange range);
void add(WordRanges& to, const WordRanges& ranges);
/// Whether some aligned block of so many words has words of both.
bool share_block(const WordRanges& a, const WordRanges& b, uint32_t block);
bool contains(const WordRanges& ranges, uint32_t word);

/// Words of a row of banks: the smallest unit that can have its own hash.
inline uint32_t row_words(const Rules& rules) { return rules.banks * rules.bank_bytes / 4; }

/// Words of the aligned blocks that a hash maps onto themselves, one to one: a row of banks if it is in place, else all
/// words that differ only in address bits that it looks at.
uint32_t block_of(const Rules& rules, const BankHash& hash);

/// Words that the same instructions access, and no other instruction.
struct Region {
  WordRanges words;
  std::vector<Pattern> patterns;  ///< of the accesses, by word of shared memory
};

}  // namespace bankshot::scratchpad
