// Only what a hash does to differences of words of one access matters: the search works in their span.
#pragma once

#include <span>

#include "bankshot/search/search.hpp"

namespace bankshot::search {

/// Coordinates of the span D of all differences. A row of a hash acts on D through its bits at the pivots of a reduced
/// basis; two rows that agree on D cost the same.
struct Quotient {
  unsigned bits = 0;                      ///< dimension of D
  uint32_t pivots = 0;                    ///< address bits that are the coordinates
  std::vector<uint32_t> basis;            ///< of D, reduced
  std::vector<scratchpad::Group> groups;  ///< with words in coordinates

  /// A hash's rows in coordinates.
  std::vector<uint32_t> rows(const scratchpad::BankHash& hash) const;
  /// A row in coordinates as a mask of address bits.
  uint32_t address_bits(uint32_t row) const;
  /// A hash with these rows (in coordinates, independent); completed to full rank, and brought to the form with the
  /// lowest pivots, in which an in-place hash is bank bit i = address bit i ^ …
  scratchpad::BankHash hash(const std::vector<uint32_t>& rows, scratchpad::HashSize size) const;
};

/// Address bits that a restriction speaks of (in place all that unrestricted banks are made of, or the plain ones) are
/// in D, as its first coordinates, whether a pattern uses them or not.
Quotient make_quotient(const Problem& problem, const Restriction& restriction);

/// Independent rows (in coordinates), as far as a restriction sees them: in place what counts is what they do to an
/// aligned row of words.
unsigned rank(std::span<const uint32_t> rows, unsigned bank_bits, const Restriction& restriction);

}  // namespace bankshot::search
