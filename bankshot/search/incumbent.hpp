// The best row space so far, and how the search finds its first ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/partial_loads.hpp"
#include "bankshot/search/quotient.hpp"

namespace bankshot::search {

/// Row spaces are given by rows in the coordinates of a quotient of more coordinates than bank bits.
class Incumbent {
 public:
  using Clock = std::chrono::steady_clock;

  Incumbent(const Quotient& quotient, unsigned bank_bits, const Restriction& restriction);

  /// The plain bits, then those of `wanted` that are independent; empty if that does not make a row space within the
  /// restriction.
  std::vector<uint32_t> start(const std::vector<uint32_t>& wanted) const;
  /// Takes the rows, of a start(), if they are better than the best.
  void offer(const std::vector<uint32_t>& rows);
  /// The same with rows whose excess is known.
  void take(const std::vector<uint32_t>& rows, uint64_t excess);
  /// From some rows of a start(): the exact best row for each bank bit in turn but the plain ones, until none helps.
  void descend(std::vector<uint32_t> rows, Clock::time_point deadline);
  /// descend() from the best and from random places: as many as a fixed amount of work allows, fewer only at the
  /// deadline.
  void improve(Clock::time_point deadline);

  bool at_floor() const { return !rows.empty() && excess <= floor; }

  std::vector<uint32_t> rows;  ///< the best
  uint64_t excess = 0;
  uint64_t floor = 0;  ///< no row space has less
  uint64_t evaluated = 0;

 private:
  const Quotient& quotient_;
  unsigned bank_bits_;
  Restriction restriction_;
  Evaluator evaluator_;
  PartialLoads loads_;
};

}  // namespace bankshot::search
