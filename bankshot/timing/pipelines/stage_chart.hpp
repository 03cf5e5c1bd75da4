// A sequence of sub-warps in the stages, cycle by cycle: who is where.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/timing/pipelines/stages.hpp"

namespace bankshot::timing {

/// What is fetched, one a cycle; none: nothing is. A sub-warp's id is its place.
using FetchSequence = std::vector<std::optional<SubWarp>>;

/// Reads "S2 N N M - N": shared memory with conflict degree 2, not memory, other memory, nothing.
/// @return  at least one entry, at most 10,000; else the error says what is wrong and what there is
Result<FetchSequence> parse_fetches(const std::string& text);

/// Who is in which stage in one cycle.
struct StageRow {
  static constexpr uint64_t kNobody = ~uint64_t{0};
  Cycle cycle = 0;
  std::vector<uint64_t> front;           ///< IF, ID …, the last is EXE
  std::vector<uint64_t> memory;          ///< MEM0, MEM1 …
  std::vector<uint64_t> beside;          ///< NONMEM0, NONMEM1 …; of `split` only
  std::vector<uint64_t> premem, nonmem;  ///< the queues of `elastic`, the oldest first
  uint64_t write_back = kNobody;
  StageStall stall = StageStall::none;  ///< why the front stands still
};

class StageChart {
 public:
  /// Fetches one after the other from cycle 0 on, as early as possible.
  StageChart(const StageShape& shape, const FetchSequence& sequence);

  struct Passed {
    SubWarp who;
    StageTimes times;
  };
  /// In the order in which they were fetched.
  const std::vector<Passed>& all() const { return all_; }
  /// The cycle of the last write-back; 0 if nothing was fetched.
  Cycle last() const { return last_; }
  /// Calls `each` for every cycle from 0 to last(), if anything was fetched. The row is valid during the call.
  void each_cycle(const std::function<void(const StageRow&)>& each) const;

 private:
  void fill(StageRow& row, size_t first, size_t behind, std::vector<unsigned>& stage) const;

  const StageShape shape_;
  std::vector<Passed> all_;
  Cycle last_ = 0;
};

}  // namespace bankshot::timing
