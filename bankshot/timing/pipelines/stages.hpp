// The stages behind the scheduler: who is held up by whom when sub-warps conflict in the banks. Nothing is stepped: the
// front is in order, so when a sub-warp leaves each part follows from those before it the moment it is fetched. Source:
// Gou and Gaydadjiev, Elastic Pipeline (CF'11), sections 3 and 4, figures 4 to 6.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/cycle_set.hpp"
#include "bankshot/timing/base/ring.hpp"

namespace bankshot::timing {

enum class Organisation : uint8_t {
  unified,  ///< figure 4(a): all pass through the memory stages; a conflict stops everything upstream
  split,    ///< figure 4(b): other instructions have separate stages; two that finish together stop everything upstream
  elastic,  ///< figures 5 and 6: queues instead of both, and shortcuts to write-back
};

/// What they are called in GPU files and on command lines, in this order.
constexpr std::array<std::string_view, 3> kOrganisations = {"unified", "split", "elastic"};

struct StageShape {
  Organisation organisation = Organisation::split;
  unsigned front = 3;   ///< stages from fetch to execution, both counted: IF, ID, EXE
  unsigned memory = 2;  ///< MEM0, MEM1 …
  unsigned premem = 0;  ///< elastic: entries of the queue before MEM0, N
  unsigned nonmem = 0;  ///< elastic: entries of the queue beside the memory stages, M
  /// During a standstill, sub-warps behind a gap close it, in the front and in the stages beside the memory stages. The
  /// paper stops all of them: "all upstream pipeline stages being blocked" (section 3.2.3).
  bool squeeze = false;
};

/// M of equation 2 (CF'11, section 3.2.3). @param corrected  at least the sub-warps of a warp: with fewer memory stages
/// than these the paper's M stalls, as tests/unit/timing/stages_test.cpp shows
inline unsigned nonmem_depth(unsigned memory_stages, unsigned sub_warps, bool corrected) {
  return corrected && sub_warps > memory_stages ? sub_warps : memory_stages;
}
/// N of equation 3. @param sub_warps  the lanes of a warp by the width of the SIMD unit, rounded up
inline unsigned premem_depth(unsigned sub_warps) { return sub_warps - 1; }

/// The lanes of a warp that execute in one cycle.
struct SubWarp {
  uint64_t id = 0;
  bool memory = false;  ///< passes the memory stages in every organisation
  unsigned degree = 1;  ///< cycles for which it has MEM0
};

/// Why the front stands still.
enum class StageStall : uint8_t {
  none,
  bank_conflict,  ///< MEM0, and what may wait for it, is taken
  write_back,     ///< the memory stages write back, and what may wait for that is full
  returned,       ///< data from outside is written back
};

/// When a sub-warp is where. Cycles.
struct StageTimes {
  Cycle fetch = 0;       ///< in the first stage
  Cycle arrive = 0;      ///< could leave execution
  Cycle leave = 0;       ///< left it: in the cycle before, it was in EXE. It stood there in [arrive, leave)
  Cycle begin = 0;       ///< in MEM0 for the first time; of the memory path only
  Cycle write_back = 0;  ///< as far as is known: later accesses may delay it, see late()
  Cycle still_begin = 0, still_end = 0;  ///< this fetch makes the front stand still in [still_begin, still_end)
  StageStall why = StageStall::none;     ///< it stood in EXE
};

class Stages {
 public:
  explicit Stages(const StageShape& shape)
      : shape_(shape), leaves_(shape.squeeze ? shape.front : 0, 0), premem_(shape.premem, 0) {}
  void clear();

  /// Cycles [begin, end) in which the front stands still.
  struct Standstill {
    Cycle begin = 0, end = 0;
    StageStall why = StageStall::none;
    uint64_t whose = 0;  ///< id of the access that is in the way, or of the sub-warp in EXE
  };
  /// The one that a cycle lies in: its end is the cycle itself if the front moves. Final for every cycle up to the last
  /// fetch.
  Standstill standstill(Cycle cycle) const;
  /// The first cycle, not before this one, in which the front moves.
  Cycle moves(Cycle cycle) const;

  /// No call will be for cycles before this one, whether fetched or returned.
  void forget_before(Cycle cycle);
  /// A sub-warp is in the first stage in `cycle`, in which the front moves; later than all before.
  StageTimes fetch(Cycle cycle, const SubWarp& sub_warp);
  /// The same for several equal sub-warps, one per cycle from `cycle` on, each of which occupies MEM0 for at most one
  /// cycle, if they and the sub-warps in flight do not delay each other. The last has its own id. @return the
  /// write-back of the last; 0 if they do, then fetch() them
  Cycle fetch_freely(Cycle cycle, unsigned count, bool memory, uint64_t id, uint64_t last_id);

  /// What fetch() has delayed: their new write-back.
  struct Late {
    uint64_t id = 0;
    Cycle write_back = 0, by = 0;  ///< by so many cycles
  };
  std::vector<Late>& late() { return late_; }

  /// Data for one sub-warp from outside the core is there in `cycle`: it is written back when no sub-warp in flight is,
  /// and before all that are fetched from now on. @return the cycle of its write-back
  Cycle returned(Cycle cycle);

 private:
  struct Beside {
    Cycle write_back = 0;
    Cycle due = 0;  ///< split: shifts of the stages beside, from the beginning on, after which it is written back
    uint64_t id = 0;
  };

  void stand(Cycle begin, Cycle end, StageStall why, uint64_t whose);
  StageStall taken(Cycle cycle) const;
  void stand_beside(Cycle cycle, uint64_t id);
  void forget_if_empty(Cycle cycle);
  void enter_memory(StageTimes& times, const SubWarp& sub_warp, bool memory);
  void enter_beside(StageTimes& times, const SubWarp& sub_warp);
  void enter_queue(StageTimes& times, const SubWarp& sub_warp, unsigned entries, unsigned through);
  Cycle arrival(Cycle cycle);
  void left_front(Cycle leave);
  void fill_front(StageTimes& times);
  void push_back(Cycle cycle);
  void place_beside(size_t first);

  StageShape shape_;
  Cycle slot_ = 0, left_ = 0;     ///< the last one's: cycles in which the front moved up to its fetch; when it left EXE
  Cycle stood_ = 0;               ///< cycles of standstills that are forgotten
  Ring<Standstill> standstills_;  ///< of the front, in order
  Ring<Standstill> in_exe_;       ///< squeeze: of EXE, which need not be one of the front
  std::vector<Cycle> leaves_;     ///< squeeze: when the last ones left EXE, as many as the front has stages; a ring
  size_t oldest_leave_ = 0;
  Cycle free_ = 0;     ///< MEM0, from then on
  Cycle put_off_ = 0;  ///< of the cycles until then, those by which data from outside has put MEM0 off
  bool conflict_ = false, return_ = false;  ///< there was one, of either, since the stages after EXE were last empty
  uint64_t last_access_ = 0;                ///< id of who was the last in it
  std::vector<Cycle> premem_;               ///< when the last accesses entered MEM0, a ring
  size_t oldest_ = 0;
  CycleSet taken_;         ///< write-backs that are taken: of the memory stages, and of data from outside
  CycleSet returned_;      ///< … of data from outside
  CycleSet claimed_;       ///< those of the others, as far as is known
  Cycle last_memory_ = 0;  ///< the last of the memory stages
  Ring<Beside> beside_;    ///< of those beside the memory stages, in order: who is not written back at once
  Ring<Cycle> held_;       ///< split: cycles in which the stages beside stand still
  Cycle held_before_ = 0;  ///< such cycles that are forgotten
  Cycle last_beside_ = 0;  ///< when the last one entered the stages beside memory; 0: none yet
  std::vector<Late> late_;
};

}  // namespace bankshot::timing
