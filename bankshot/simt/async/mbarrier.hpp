// Barriers in shared memory. Source: PTX ISA 9.0, section 9.7.13.15 (mbarrier). What the 64 bits hold is for an
// implementation to choose; programs see them through these operations only.
#pragma once

#include <cstdint>
#include <string>

#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

/// One phase after the other: a phase ends when as many threads as expected have arrived and all bytes that were
/// announced have.
class MBarrier {
 public:
  static constexpr uint32_t kMostCount = (1u << 20) - 1;  ///< of threads, and of bytes

  MBarrier() = default;
  /// A barrier in its first phase. @param count  1 to kMostCount
  explicit MBarrier(uint32_t count) : expected_(count), pending_(count) {}
  /// @return false if the bits are none that `bits()` gave
  static bool read(uint64_t bits, MBarrier& out);
  uint64_t bits() const;

  uint32_t pending() const { return pending_; }
  bool odd() const { return odd_; }  ///< phases are numbered from 0 on
  int32_t bytes() const { return bytes_; }

  /// @return false if more arrive than are pending
  bool arrive(uint32_t count);
  /// Arrives, and is not expected any more in the phases to come.
  bool arrive_and_drop(uint32_t count);
  /// @return false if more bytes are under way than can be counted
  bool expect_bytes(int64_t count);
  bool complete_bytes(int64_t count);

 private:
  void settle();

  uint32_t expected_ = 0, pending_ = 0;
  int32_t bytes_ = 0;  ///< announced and not there yet; below 0 if they came before they were announced
  bool odd_ = false;
};

struct Warp;

/// What a handler finds: op[0], imm, small and kWide are the address; op[1] a row of states or a predicate to be
/// written, op[2] a row that is read (count, bytes, state or parity), op[3] bytes to be announced first.
const Instr* run_mbarrier_init(Warp& w, const Instr* i);
const Instr* run_mbarrier_inval(Warp& w, const Instr* i);
const Instr* run_mbarrier_arrive(Warp& w, const Instr* i);  ///< op[2] kNone: 1
const Instr* run_mbarrier_arrive_drop(Warp& w, const Instr* i);
const Instr* run_mbarrier_expect(Warp& w, const Instr* i);
const Instr* run_mbarrier_complete(Warp& w, const Instr* i);
const Instr* run_mbarrier_test(Warp& w, const Instr* i);  ///< op[2]: a state
const Instr* run_mbarrier_test_parity(Warp& w, const Instr* i);
const Instr* run_mbarrier_pending(Warp& w, const Instr* i);  ///< no address; op[2]: a state

/// What the first active lane waits for at a test that failed, for a report; empty if no mbarrier is there.
std::string waited_for(Warp& w, const Instr* i);

/// After an instruction that may end phases of mbarriers: if it has, lets other warps run, so that all who wait see
/// this phase before the next one ends. Does nothing under a timing model. @param next  instruction; null after a fault
const Instr* after_phase(Warp& w, const Instr* next);

/// A thread arrives, when its products are done. @param lane  the thread's @return false after a fault
bool products_arrive_at(Warp& w, const Instr* i, uint64_t offset, unsigned lane);
/// Bytes of an asynchronous copy are there. @param lane  that copied @return false after a fault
bool complete_bytes_at(Warp& w, const Instr* i, uint64_t offset, int64_t bytes, unsigned lane);

}  // namespace bankshot::simt
