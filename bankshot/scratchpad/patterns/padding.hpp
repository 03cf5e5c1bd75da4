// Padding: what people do by hand against conflicts. Rows of an array become longer, so that columns change banks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::scratchpad {

/// Word a of the array moves to a + words * (a / row).
struct Padding {
  static constexpr uint32_t kShortestRow = 4;  ///< words; a struct of four members may be a row

  uint32_t row = 0;          ///< words of a row, a power of two
  uint32_t words = 0;        ///< added to each row
  uint64_t excess = 0;       ///< as excess() counts it
  uint64_t extra_bytes = 0;  ///< of shared memory

  uint32_t place(uint32_t word) const { return word + words * (word / row); }
};

/// The padding of least excess, of equals the one that takes least memory: rows of 4 to 1024 words, up to 8 words (or
/// two units) more each. Words that are accessed together by one lane stay together, as do those of an element.
/// @param patterns       words from the start of the array
/// @param words          of the array
/// @param element_words  of an element, a power of two
/// @param declared_row   words of the rows that the source has, chosen of equals; 0: not known
/// @param allowed        asked of each padding; its excess is not set yet. Empty: all are
/// @return               nothing if the array is shorter than two rows, or none is allowed
std::optional<Padding> best_padding(const Rules& rules, const PatternSet& patterns, uint64_t words,
                                    unsigned element_words = 1, uint64_t declared_row = 0,
                                    const std::function<bool(const Padding&)>& allowed = {});

}  // namespace bankshot::scratchpad
