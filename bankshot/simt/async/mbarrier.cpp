#include "bankshot/simt/async/mbarrier.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/state/checker.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;

// The bits: 20 of threads expected, 20 pending, 21 of bytes, the phase, and a mark that memory which nobody set up does
// not have.
constexpr unsigned kPendingShift = 20, kBytesShift = 40, kOddShift = 61, kMarkShift = 62;
constexpr uint64_t kMark = 2, kCountBits = MBarrier::kMostCount, kBytesBits = (1u << 21) - 1;

}  // namespace

bool MBarrier::read(uint64_t bits, MBarrier& out) {
  if (bits >> kMarkShift != kMark) return false;
  out.expected_ = static_cast<uint32_t>(bits & kCountBits);
  out.pending_ = static_cast<uint32_t>(bits >> kPendingShift & kCountBits);
  out.bytes_ = static_cast<int32_t>(bits >> kBytesShift & kBytesBits) - static_cast<int32_t>(kMostCount);
  out.odd_ = (bits >> kOddShift & 1) != 0;
  return true;
}

uint64_t MBarrier::bits() const {
  const auto bytes = static_cast<uint64_t>(bytes_ + static_cast<int32_t>(kMostCount));
  return kMark << kMarkShift | uint64_t{odd_} << kOddShift | bytes << kBytesShift |
         uint64_t{pending_} << kPendingShift | expected_;
}

void MBarrier::settle() {
  if (pending_ != 0 || bytes_ != 0) return;
  odd_ = !odd_;
  pending_ = expected_;
}

bool MBarrier::arrive(uint32_t count) {
  if (count > pending_) return false;
  pending_ -= count;
  settle();
  return true;
}

bool MBarrier::arrive_and_drop(uint32_t count) {
  if (count > expected_ || count > pending_) return false;
  expected_ -= count;
  return arrive(count);
}

bool MBarrier::expect_bytes(int64_t count) {
  const int64_t sum = bytes_ + count;
  if (sum > int64_t{kMostCount} || sum < -int64_t{kMostCount}) return false;
  bytes_ = static_cast<int32_t>(sum);
  return true;
}

bool MBarrier::complete_bytes(int64_t count) {
  if (!expect_bytes(-count)) return false;
  settle();
  return true;
}

namespace {

/// The word of an address that has to be in the CTA's shared memory; null after a fault.
uint64_t* word_at(Warp& w, const Instr* i, Space space, uint64_t address, unsigned lane) {
  const int64_t offset = shared_offset(w, space, address);
  if (offset < 0) {
    fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
          "an mbarrier must be in the CTA's shared memory");
    return nullptr;
  }
  return static_cast<uint64_t*>(lane_pointer(w, i, Space::shared, static_cast<uint64_t>(offset), 8, true, lane));
}

const Instr* wrong_barrier(Warp& w, const Instr* i, int lane, const std::string& what) {
  return fault(w, i, Fault::Kind::bad_barrier, lane, 0, what);
}

bool read(Warp& w, const Instr* i, const uint64_t* word, unsigned lane, MBarrier& out) {
  if (MBarrier::read(*word, out)) return true;
  wrong_barrier(w, i, static_cast<int>(lane), "there is no mbarrier here: initialise one with mbarrier.init");
  return false;
}

/// The barrier that a lane names, for who checks: it is one.
uint64_t offset_of(const Warp& w, const Instr* i, unsigned lane) {
  return static_cast<uint64_t>(shared_offset(w, static_cast<Space>(i->small), lane_address(w, i, lane)));
}

constexpr const char* kOperation = "an operation on an mbarrier";

/// For each lane that executes, ascending: f(lane, its barrier) changes the barrier and returns what is wrong, or null.
template <class F>
const Instr* for_barriers(Warp& w, const Instr* i, F f) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, kOperation);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t* const word = word_at(w, i, static_cast<Space>(i->small), lane_address(w, i, lane), lane);
    MBarrier barrier;
    if (word == nullptr || !read(w, i, word, lane, barrier)) return nullptr;
    const bool odd = barrier.odd();
    if (const char* what = f(lane, barrier); what != nullptr) return wrong_barrier(w, i, static_cast<int>(lane), what);
    *word = barrier.bits();
    if (barrier.odd() == odd) continue;
    w.worker->phase_ended = true;
    if (w.worker->checks != nullptr) w.worker->checks->ends_phase(w, offset_of(w, i, lane));
  }
  return after_phase(w, i + 1);
}

constexpr const char* kTooMany = "more threads arrive at the mbarrier than it expects in this phase";
constexpr const char* kTooManyBytes = "an mbarrier counts up to 1048575 pending bytes";

uint32_t count_of(const Warp& w, const Instr* i, unsigned lane) {
  return i->op[2] == OperandRef::kNone ? 1 : w.row<const uint32_t>(i->op[2])[lane];
}

template <bool (MBarrier::*Arrive)(uint32_t)>
const Instr* arrive(Warp& w, const Instr* i) {
  return for_barriers(w, i, [&](unsigned lane, MBarrier& barrier) -> const char* {
    if (i->op[1] != OperandRef::kNone) w.row<uint64_t>(i->op[1])[lane] = barrier.bits();
    if (i->op[3] != OperandRef::kNone && !barrier.expect_bytes(w.row<const uint32_t>(i->op[3])[lane]))
      return kTooManyBytes;
    if (w.worker->checks != nullptr) w.worker->checks->arrives_at(w, i, offset_of(w, i, lane), lane);
    return (barrier.*Arrive)(count_of(w, i, lane)) ? nullptr : kTooMany;
  });
}

/// Sets the predicate of lanes for which the phase is over. Who waits lets others run.
template <class Over>
const Instr* test(Warp& w, const Instr* i, Over over) {
  uint64_t holds = 0;
  const Instr* const next = for_barriers(w, i, [&](unsigned lane, const MBarrier& barrier) -> const char* {
    if (!over(lane, barrier)) return nullptr;
    holds |= uint64_t{1} << lane;
    if (w.worker->checks != nullptr) w.worker->checks->passes(w, i, offset_of(w, i, lane), lane);
    return nullptr;
  });
  if (next == nullptr) return nullptr;
  uint64_t& predicate = w.predicate(i->op[1]);
  predicate = (predicate & ~w.active) | holds;
  uint32_t& idle_turns = w.paths[static_cast<size_t>(w.current)].idle_turns;
  idle_turns = holds == 0 && (i->flags & InstrFlag::kOnlyWaits) != 0 ? idle_turns + 1 : 0;
  if (holds == w.active) return next;
  w.polls = 0;
  return polled(w, next);
}

}  // namespace

const Instr* after_phase(Warp& w, const Instr* next) {
  const bool ended = std::exchange(w.worker->phase_ended, false);
  return next == nullptr || !ended || w.worker->sm >= 0 ? next : let_others_run(w, next);
}

const Instr* run_mbarrier_init(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, kOperation);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t* const word = word_at(w, i, static_cast<Space>(i->small), lane_address(w, i, lane), lane);
    if (word == nullptr) return nullptr;
    const uint32_t count = count_of(w, i, lane);
    if (count == 0 || count > MBarrier::kMostCount) {
      return wrong_barrier(w, i, static_cast<int>(lane),
                           "an mbarrier expects 1 to 1048575 threads, not " + std::to_string(count));
    }
    *word = MBarrier(count).bits();
    if (w.worker->checks != nullptr) w.worker->checks->initialises(w, i, offset_of(w, i, lane), lane);
  }
  return i + 1;
}

const Instr* run_mbarrier_inval(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, kOperation);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t* const word = word_at(w, i, static_cast<Space>(i->small), lane_address(w, i, lane), lane);
    MBarrier barrier;
    if (word == nullptr || !read(w, i, word, lane, barrier)) return nullptr;
    *word = 0;
  }
  return i + 1;
}

const Instr* run_mbarrier_arrive(Warp& w, const Instr* i) { return arrive<&MBarrier::arrive>(w, i); }
const Instr* run_mbarrier_arrive_drop(Warp& w, const Instr* i) { return arrive<&MBarrier::arrive_and_drop>(w, i); }

const Instr* run_mbarrier_expect(Warp& w, const Instr* i) {
  return for_barriers(w, i, [&](unsigned lane, MBarrier& barrier) {
    return barrier.expect_bytes(w.row<const uint32_t>(i->op[2])[lane]) ? nullptr : kTooManyBytes;
  });
}

const Instr* run_mbarrier_complete(Warp& w, const Instr* i) {
  return for_barriers(w, i, [&](unsigned lane, MBarrier& barrier) {
    return barrier.complete_bytes(w.row<const uint32_t>(i->op[2])[lane]) ? nullptr : kTooManyBytes;
  });
}

const Instr* run_mbarrier_test(Warp& w, const Instr* i) {
  return test(w, i, [&](unsigned lane, const MBarrier& barrier) {
    MBarrier then;
    return MBarrier::read(w.row<const uint64_t>(i->op[2])[lane], then) && then.odd() != barrier.odd();
  });
}

const Instr* run_mbarrier_test_parity(Warp& w, const Instr* i) {
  return test(w, i, [&](unsigned lane, const MBarrier& barrier) {
    return barrier.odd() != ((w.row<const uint32_t>(i->op[2])[lane] & 1) != 0);
  });
}

const Instr* run_mbarrier_pending(Warp& w, const Instr* i) {
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    MBarrier then;
    if (!MBarrier::read(w.row<const uint64_t>(i->op[2])[lane], then)) {
      return wrong_barrier(w, i, static_cast<int>(lane), "this is not the state of an mbarrier");
    }
    w.row<uint32_t>(i->op[1])[lane] = then.pending();
  }
  return i + 1;
}

std::string waited_for(Warp& w, const Instr* i) {
  const auto lane = static_cast<unsigned>(std::countr_zero(w.active));
  const uint64_t offset = offset_of(w, i, lane), byte = byte_in_cta(offset);
  MBarrier barrier;
  const Cta* const cta = cta_at(*w.cta, offset);
  if (cta == nullptr || byte + sizeof(uint64_t) > cta->shared_bytes) return {};
  uint64_t bits = 0;
  std::memcpy(&bits, cta->shared + byte, sizeof bits);
  if (!MBarrier::read(bits, barrier)) return {};
  std::string name;
  for (const SharedInfo& variable : w.worker->launch->kernel->shared) {
    if (byte < variable.offset || byte - variable.offset >= variable.size) continue;
    name = " (" + variable.name + (byte == variable.offset ? "" : " + " + std::to_string(byte - variable.offset)) + ")";
  }
  return "an mbarrier at byte " + std::to_string(byte) + " of shared memory" + name + " to end its " +
         (barrier.odd() ? "odd" : "even") + " phase: " + std::to_string(barrier.pending()) + " arrivals " +
         (barrier.bytes() < 0 ? "are pending, and " + std::to_string(-barrier.bytes()) +
                                    " bytes have come that no expect_tx has announced"
                              : "and " + std::to_string(barrier.bytes()) + " bytes are pending");
}

namespace {

/// f changes the barrier at an offset and returns what is wrong, or null. @return false after a fault
template <class F>
bool for_barrier_at(Warp& w, const Instr* i, uint64_t offset, unsigned lane, F f) {
  uint64_t* const word = word_at(w, i, Space::shared, offset, lane);
  MBarrier barrier;
  if (word == nullptr || !read(w, i, word, lane, barrier)) return false;
  const bool odd = barrier.odd();
  if (const char* what = f(barrier); what != nullptr) {
    wrong_barrier(w, i, static_cast<int>(lane), what);
    return false;
  }
  *word = barrier.bits();
  if (barrier.odd() == odd) return true;
  w.worker->phase_ended = true;
  if (w.worker->checks != nullptr) w.worker->checks->ends_phase(w, offset);
  return true;
}

}  // namespace

bool products_arrive_at(Warp& w, const Instr* i, uint64_t offset, unsigned lane) {
  return for_barrier_at(w, i, offset, lane, [&](MBarrier& barrier) {
    if (w.worker->checks != nullptr) w.worker->checks->products_arrive_at(w, i, offset, lane);
    return barrier.arrive(1) ? nullptr : kTooMany;
  });
}

bool complete_bytes_at(Warp& w, const Instr* i, uint64_t offset, int64_t bytes, unsigned lane) {
  return for_barrier_at(w, i, offset, lane,
                        [&](MBarrier& barrier) { return barrier.complete_bytes(bytes) ? nullptr : kTooManyBytes; });
}

}  // namespace bankshot::simt
