#include "bankshot/simt/tensor_access/access.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/matrices/matrix.hpp"
#include "bankshot/simt/state/checker.hpp"
#include "bankshot/simt/state/cta_state.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/tensor_access/work.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kThreads = 32, kMostWaits = 1 << 20;
constexpr Fault::Kind kWrong = Fault::Kind::bad_tensor_memory;

const Instr* wrong(Warp& w, const Instr* i, int lane, const std::string& what) {
  return fault(w, i, kWrong, lane, 0, what);
}

/// The value that all lanes of the warp have. @return false after a fault
bool same_in_warp(Warp& w, const Instr* i, uint32_t row, const char* what, uint32_t& value) {
  const uint32_t* const values = w.row<const uint32_t>(row);
  value = values[0];
  const uint32_t* const other = std::find_if(values, values + kThreads, [&](uint32_t other) { return other != value; });
  if (other == values + kThreads) return true;
  wrong(w, i, static_cast<int>(other - values),
        std::string("all threads of the warp must give the same ") + what +
            ", but this thread's differs from that of the first");
  return false;
}

std::string text_of(TensorAddress at) {
  return "lane " + std::to_string(at.lane) + ", column " + std::to_string(at.column);
}

bool check_columns(Warp& w, const Instr* i, uint32_t columns) {
  if (TensorMemory::can_be_allocated(columns)) return true;
  wrong(w, i, 0, "columns are allocated in powers of two from 32 to 512, but this asks for " + std::to_string(columns));
  return false;
}

TensorMemory& made(Cta& cta) {
  if (cta.tensor_memory == nullptr) cta.tensor_memory = std::make_unique<TensorMemory>();
  return *cta.tensor_memory;
}

/// What ld and st access. @return null after a fault
TensorMemory* accessed(Warp& w, const Instr* i, TensorMoveShape shape, bool writes, TensorAddress& at) {
  uint32_t bits = 0;
  if (!whole_warp(w, i) || !same_in_warp(w, i, i->op[0], "address in tensor memory", bits)) return nullptr;
  at = TensorAddress::unpacked(bits + static_cast<uint32_t>(i->imm));
  // A lane of the first quarter stands for the same one of the warp's own, and 128 further lanes for the same ones:
  // public kernels rely on both.
  const unsigned own = w.index % 4 * kThreads, quarter = at.lane % TensorMemory::kLanes / kThreads * kThreads;
  if (at.lane >= 2 * TensorMemory::kLanes || (quarter != own && quarter != 0)) {
    wrong(w, i, 0,
          "warp " + std::to_string(w.index) + " may access lanes " + std::to_string(own) + " to " +
              std::to_string(own + kThreads - 1) + " of tensor memory only, but the address is " + text_of(at));
    return nullptr;
  }
  at.lane = at.lane % kThreads + own;
  if (at.lane % shape.lanes() != 0) {
    wrong(w, i, 0,
          "the lane of the address must be a multiple of " + std::to_string(shape.lanes()) +
              " for this shape, but the address is " + text_of(at));
    return nullptr;
  }
  const auto range = [&](uint32_t from) {
    return tensor_range(w, *w.cta, i, 0, {{at.lane, at.column + from}, shape.lanes(), shape.columns(), writes},
                        "the access");
  };
  const bool in_two = shape.kind == TensorMoveShape::Kind::b32x16x2;
  if (!range(0) || (in_two && !range(i->op[3]))) return nullptr;
  return tensor_memory_of(w, *w.cta, i, 0);
}

/// Calls each(cell, that of the upper half or null, the register of a thread) for all.
template <class F>
const Instr* for_cells(Warp& w, const Instr* i, bool writes, F each) {
  const TensorMoveShape shape = TensorMoveShape::from_bits(i->op[2]);
  TensorAddress at;
  TensorMemory* const memory = accessed(w, i, shape, writes, at);
  if (memory == nullptr) return nullptr;
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[1]];
  for (unsigned reg = 0; reg < shape.registers; ++reg) {
    uint32_t* const row = w.row<uint32_t>(rows[reg]);
    for (unsigned t = 0; t < kThreads; ++t) {
      const TensorAddress cell = shape.cell(reg, t, i->op[3]);
      uint32_t* const lower = memory->column(at.column + cell.column) + at.lane + cell.lane;
      each(lower, shape.packed ? lower + TensorMemory::kLanes : nullptr, row[t]);
    }
  }
  return i + 1;
}

/// Calls each(lane, offset of an mbarrier in shared memory of the cluster) for what a commit of these lanes tells.
/// @return false after a fault, or if each() returns false
template <class F>
bool for_targets(Warp& w, const Instr* i, uint64_t lanes, F each) {
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = lane_address(w, i, lane);
    int64_t offset = shared_offset(w, static_cast<ptx::Space>(i->small), address);
    // A .shared address counts as the generic one whose lower half it is: ThunderKittens relies on it.
    if (offset < 0 && address >> 32 == 0) offset = static_cast<int64_t>(address);
    if (offset < 0) {
      fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
            "an mbarrier must be in shared memory of the cluster");
      return false;
    }
    const auto place = static_cast<uint64_t>(offset);
    if (i->op[4] == OperandRef::kNone) {
      if (!each(lane, place)) return false;
      continue;
    }
    give_rank(*w.cta);
    for (uint32_t ctas = w.row<const uint16_t>(i->op[4])[lane]; ctas != 0; ctas &= ctas - 1) {
      if (!each(lane, in_rank(static_cast<uint64_t>(std::countr_zero(ctas)), place))) return false;
    }
  }
  return true;
}

}  // namespace

TensorMemory* tensor_memory_of(Warp& w, Cta& cta, const Instr* i, int lane) {
  if (cta.tensor_memory != nullptr) return cta.tensor_memory.get();
  wrong(w, i, lane,
        std::string(&cta == w.cta ? "the CTA" : "the other CTA of the pair") +
            " has no tensor memory: allocate columns with tcgen05.alloc first");
  return nullptr;
}

bool tensor_range(Warp& w, Cta& cta, const Instr* i, int lane, const TensorRange& range, const std::string& what) {
  const TensorMemory* const memory = tensor_memory_of(w, cta, i, lane);
  if (memory == nullptr) return false;
  const auto refuse = [&](const std::string& why) {
    wrong(w, i, lane,
          what + " is at " + text_of(range.at) + " of tensor memory and has " + std::to_string(range.lanes) +
              " lanes and " + std::to_string(range.columns) + " columns, but " + why);
    return false;
  };
  if (range.at.lane + range.lanes > TensorMemory::kLanes) return refuse("there are 128 lanes");
  if (!memory->allocated(range.at.column, range.columns))
    return refuse("not all of these columns are allocated to the CTA");
  if (Checker* const checks = w.worker->checks) checks->accesses_tensor(w, i, lane, cta, range);
  return true;
}

unsigned tensor_group(Warp& w, const Instr* i, unsigned lane, bool pair, Cta* (&ctas)[2]) {
  ctas[0] = w.cta;
  if (!pair) return 1;
  std::vector<Cta*>& all = w.cta->cluster->ctas;
  const uint32_t even = w.cta->rank & ~1u;
  for (unsigned k = 0; k < 2; ++k) {
    ctas[k] = even + 1 < all.size() ? all[even + k] : nullptr;
    if (ctas[k] != nullptr) continue;
    wrong(w, i, static_cast<int>(lane),
          even + 1 < all.size() ? ".cta_group::2 works on a pair of CTAs of a cluster, but the other one has ended"
                                : ".cta_group::2 needs a pair of CTAs: launch clusters of an even number of CTAs");
    return 0;
  }
  return 2;
}

const Instr* run_tensor_allocate(Warp& w, const Instr* i) {
  uint32_t columns = 0;
  if (!whole_warp(w, i) || !same_in_warp(w, i, i->op[1], "number of columns", columns) || !check_columns(w, i, columns))
    return nullptr;
  TensorMemory& memory = made(*w.cta);
  if (memory.relinquished())
    return wrong(
        w, i, 0,
        "tcgen05.alloc after tcgen05.relinquish_alloc_permit: the CTA has given up the right to allocate columns");
  const std::optional<unsigned> first = memory.allocate(columns);
  if (!first) {
    // Another warp may free some.
    if (++memory.waited <= kMostWaits) return yield_slow(w, i);
    return waits_forever(w, i, memory.in_use());
  }
  if (Checker* const checks = w.worker->checks) checks->allocates_columns(w, i, *first, columns);
  const uint32_t address = TensorAddress{0, *first}.packed();
  const int64_t offset = shared_offset(w, static_cast<ptx::Space>(i->small), lane_address(w, i, 0));
  if (offset < 0)
    return fault(w, i, Fault::Kind::illegal_address, 0, lane_address(w, i, 0),
                 "the address of columns is written to shared memory of the CTA only");
  if (Checker* const checks = w.worker->checks) {
    const uint64_t at[kThreads] = {static_cast<uint64_t>(offset)};
    checks->access(w, i, hazards::AccessKind::write, ptx::Space::shared, 1, at, sizeof address);
  }
  return store_lane(w, i, ptx::Space::shared, static_cast<uint64_t>(offset), sizeof address, 0, &address) ? i + 1
                                                                                                          : nullptr;
}

const Instr* waits_forever(Warp& w, const Instr* i, unsigned in_use) {
  return fault(w, i, Fault::Kind::deadlock, 0, 0,
               "tcgen05.alloc waits forever for " + std::to_string(asked_columns(w, i)) +
                   " columns: " + std::to_string(in_use) + " of 512 are allocated, and no warp frees them");
}

const Instr* run_tensor_free(Warp& w, const Instr* i) {
  uint32_t columns = 0, bits = 0;
  if (!whole_warp(w, i) || !same_in_warp(w, i, i->op[0], "address in tensor memory", bits) ||
      !same_in_warp(w, i, i->op[1], "number of columns", columns) || !check_columns(w, i, columns)) {
    return nullptr;
  }
  TensorMemory* const memory = tensor_memory_of(w, *w.cta, i, 0);
  if (memory == nullptr) return nullptr;
  const TensorAddress at = TensorAddress::unpacked(bits);
  if (at.lane == 0 && memory->free(at.column, columns)) {
    if (Checker* const checks = w.worker->checks) checks->allocates_columns(w, i, at.column, 0);
    return i + 1;
  }
  return wrong(w, i, 0,
               "no " + std::to_string(columns) + " columns were allocated at " + text_of(at) +
                   ": tcgen05.dealloc takes an address and the number of columns of tcgen05.alloc");
}

const Instr* run_tensor_relinquish(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  made(*w.cta).relinquish();
  return i + 1;
}

const Instr* run_tensor_memory_load(Warp& w, const Instr* i) {
  return for_cells(w, i, false, [](const uint32_t* lower, const uint32_t* upper, uint32_t& reg) {
    reg = upper == nullptr ? *lower : (*lower & 0xffff) | *upper << 16;
  });
}

const Instr* run_tensor_memory_store(Warp& w, const Instr* i) {
  return for_cells(w, i, true, [](uint32_t* lower, uint32_t* upper, uint32_t reg) {
    *lower = upper == nullptr ? reg : reg & 0xffff;
    if (upper != nullptr) *upper = reg >> 16;
  });
}

bool commit_targets(Warp& w, const Instr* i, uint64_t lanes, std::vector<uint64_t>& barriers) {
  return for_targets(w, i, lanes, [&](unsigned, uint64_t barrier) {
    barriers.push_back(barrier);
    return true;
  });
}

const Instr* run_tensor_commit(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "tcgen05.commit");
  const bool told = for_targets(
      w, i, w.active, [&](unsigned lane, uint64_t barrier) { return products_arrive_at(w, i, barrier, lane); });
  return after_phase(w, told ? i + 1 : nullptr);
}

}  // namespace bankshot::simt
