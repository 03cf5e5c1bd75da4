// The stages behind the scheduler, cycle by cycle: who is held up by whom when sub-warps conflict in the banks.
// Source: Gou and Gaydadjiev, Elastic Pipeline (CF'11), sections 3 and 4, figures 4 to 6.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace bankshot::timing {

enum class Organisation : uint8_t {
  unified,  ///< figure 4(a): all pass the memory stages; a conflict stops whatever is upstream
  split,    ///< figure 4(b): the others have stages of their own; two that end at once stop what is upstream
  elastic,  ///< figures 5 and 6: queues in place of both, and short cuts to write-back
};

struct StageShape {
  Organisation organisation = Organisation::split;
  unsigned front = 3;   ///< stages from fetch to execution, both counted: IF, ID, EXE
  unsigned memory = 2;  ///< MEM0, MEM1 …
  unsigned premem = 0;  ///< elastic: entries of the queue before MEM0, N
  unsigned nonmem = 0;  ///< elastic: entries of the queue beside the memory stages, M
};

/// M of equation 2. @param corrected  at least the sub-warps of a warp: with fewer memory stages than these the paper's M
///                                    stalls (DIGEST.md, 5.2)
inline unsigned nonmem_depth(unsigned memory_stages, unsigned sub_warps, bool corrected) {
  return corrected && sub_warps > memory_stages ? sub_warps : memory_stages;
}
/// N of equation 3. @param sub_warps  the lanes of a warp by the width of the SIMD unit, rounded up
inline unsigned premem_depth(unsigned sub_warps) { return sub_warps - 1; }

/// The lanes of a warp that execute in one cycle.
struct SubWarp {
  uint32_t id = 0;
  bool memory = false;  ///< accesses the scratchpad
  unsigned degree = 1;  ///< cycles for which it has MEM0
};

/// Why nothing could be fetched.
enum class StageStall : uint8_t { none, bank_conflict, write_back };

class Stages {
 public:
  explicit Stages(const StageShape& shape);

  /// The next cycle begins. @param fetched  who is to be in the first stage in it; none: a bubble
  /// @return why the front stands still instead, and nobody was fetched
  StageStall step(const std::optional<SubWarp>& fetched);

  // Who is where in this cycle.
  const std::vector<std::optional<SubWarp>>& front() const { return front_; }    ///< the last is EXE
  const std::vector<std::optional<SubWarp>>& memory() const { return memory_; }  ///< the first is MEM0
  const std::vector<std::optional<SubWarp>>& beside() const { return beside_; }  ///< split: NONMEM0, NONMEM1 …
  const std::deque<SubWarp>& premem() const { return premem_; }                  ///< elastic, the oldest first
  const std::deque<SubWarp>& nonmem() const { return nonmem_; }                  ///< elastic, the oldest first
  const std::optional<SubWarp>& write_back() const { return write_back_; }
  bool is_empty() const;

 private:
  void advance_memory();
  void advance_beside();
  void enter_memory(const SubWarp& sub_warp);
  StageStall leave_execution(const SubWarp& sub_warp);

  const StageShape shape_;
  std::vector<std::optional<SubWarp>> front_, memory_, beside_;
  unsigned left_ = 0;  ///< cycles that MEM0 is taken for, this one counted
  std::deque<SubWarp> premem_, nonmem_;
  std::optional<SubWarp> write_back_;
};

}  // namespace bankshot::timing
