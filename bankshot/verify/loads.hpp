// Words in the cells that rows cut groups into.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/verify/certificate.hpp"

namespace bankshot::verify {

/// Rows that are added and taken back, and the least excess of the hashes that have them among their row space: a cell
/// of L words goes to 2^(rows to come) banks, so that one of them has ceil(L / 2^(rows to come)) words. Words that are
/// equal share a bank whatever the hash.
class Loads {
 public:
  Loads(const std::vector<Group>& groups, unsigned bank_bits);

  void add(uint32_t row);
  void take_back();
  unsigned rows() const { return rows_; }

  /// With one row more. @param enough  a result from here on need not be exact
  uint64_t least(uint32_t row, uint64_t enough) const;
  /// With the rows there are.
  uint64_t least() const;

 private:
  using Mask = std::vector<uint64_t>;  ///< a bit a word of a group
  struct Own {
    uint64_t weight;
    uint64_t equal;               ///< how often the most frequent word occurs
    Mask with_bit;                ///< the words that have address bit 0, then those that have bit 1, …
    std::vector<Mask> cells;      ///< by number of rows: the cells' words, one cell after the other
    std::vector<uint64_t> least;  ///< by number of rows
  };
  static void odd_words(const Own& own, uint32_t row, Mask& odd);
  uint64_t excess(const Own& own, uint64_t fullest, unsigned rows) const;

  unsigned bank_bits_, rows_ = 0;
  mutable Mask odd_;  ///< scratch
  std::vector<Own> groups_;
};

}  // namespace bankshot::verify
