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
  void take_back() { --rows_; }
  unsigned rows() const { return rows_; }

  /// With one row more. @param enough  a result from here on need not be exact
  uint64_t least(uint32_t row, uint64_t enough) const;
  /// With the rows there are.
  uint64_t least() const { return least_[rows_]; }

 private:
  // Words of a group are bits of some numbers of 64. Groups are dealt with kTogether at a time, a team: those of one
  // number stand side by side. The last team is filled up with groups of weight 0.
  using Masks = std::vector<uint64_t>;
  struct Team {
    size_t first = 0;   ///< of its numbers
    size_t blocks = 1;  ///< numbers of a group
  };
  void odd_words(uint32_t row) const;

  unsigned bank_bits_, rows_ = 0;
  std::vector<Team> teams_;
  Masks with_bit_;               ///< by address bit, team, block, group: the words that have the bit
  std::vector<Masks> cells_;     ///< by number of rows; then by team, cell, block, group: the cell's words
  std::vector<uint64_t> least_;  ///< by number of rows
  Masks weights_, equal_;        ///< by group; how often its most frequent word occurs
  mutable Masks odd_;            ///< by team, block, group: the words that a row is odd of
};

}  // namespace bankshot::verify
