// What rows chosen so far leave at least: the words of a cell go to as many banks as the rows to come can make of it.
#pragma once

#include "bankshot/search/sides.hpp"

namespace bankshot::search {

/// d rows cut the words of each group into 2^d cells. A hash of m rows that has them among its row space spreads a cell
/// of L words over 2^(m-d) banks, so that some bank holds ceil(L / 2^(m-d)) of them. With d = m this is the excess
/// itself; more rows never give less.
class PartialLoads {
 public:
  PartialLoads(std::span<const scratchpad::Group> groups, unsigned bank_bits);

  void push(uint32_t row);
  void pop();
  unsigned depth() const { return depth_; }
  /// What least() looks at at most, sixteen groups or a large one each: a measure of its work.
  size_t sides() const { return sides_.sides.size() + large_.size(); }

  /// Least excess of the hashes whose row space holds the rows pushed.
  uint64_t least() const { return rest_[depth_].front(); }
  /// The same with one row more. @param enough  a result from here on need not be exact
  uint64_t least(uint32_t row, uint64_t enough) const;

 private:
  using Row = Sides::Row;
  struct Large {
    uint64_t weight = 0, least_degree = 1;
    std::vector<uint32_t> words;
    std::vector<uint8_t> cell;  ///< of each word
  };
  uint64_t least_of_large(const Large& large, uint32_t row, unsigned depth) const;

  Sides sides_;
  unsigned bank_bits_, depth_ = 0;
  struct alignas(64) Cell {
    Row words;
  };
  std::vector<std::vector<Cell>> cells_;  ///< by depth: 2^depth cells of each side, side by side
  std::vector<Cell> least_degree_;        ///< of each side: what no hash avoids
  std::vector<Large> large_;
  /// By depth: the least excess of each side and those behind it, then of the large groups.
  std::vector<std::vector<uint64_t>> rest_;
};

/// Words on the fullest bank under any hash: all over the banks, or the lanes of atomics on one word.
uint64_t least_degree(const scratchpad::Group& group, unsigned bank_bits);

}  // namespace bankshot::search
