// Only what a hash does to differences of words of one access matters: the search works in their span.
#pragma once

#include "bankshot/search/search.hpp"

namespace bankshot::search {

/// Coordinates of the span D of all differences. A row of a hash acts on D through its bits at the pivots of a reduced
/// basis; two rows that agree on D cost the same.
struct Quotient {
  unsigned bits = 0;                          ///< dimension of D
  uint32_t pivots = 0;                        ///< address bits that are the coordinates
  std::vector<uint32_t> basis;                ///< of D, reduced
  std::vector<scratchpad::Group> groups;      ///< with words in coordinates

  /// A hash's rows in coordinates.
  std::vector<uint32_t> rows(const scratchpad::BankHash& hash) const;
  /// A hash with these rows (in coordinates, independent); completed to full rank, and brought to the form with the
  /// lowest pivots, in which an in-place hash is bank bit i = address bit i ^ …
  scratchpad::BankHash hash(const std::vector<uint32_t>& rows, scratchpad::HashSize size) const;
};

/// In place, the aligned row of unit stride is one more group, which outweighs everything: hashes that are not
/// conflict-free on it are worse than any that are. Address bits that are to be bank bits are in D, as its first
/// coordinates, whether a pattern uses them or not.
Quotient make_quotient(const Problem& problem, const Restriction& restriction);

}  // namespace bankshot::search
