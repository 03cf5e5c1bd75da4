#include "bankshot/simt/async/async_copy.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/checks/checks.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/memory/access.hpp"
#include "bankshot/simt/memory/bulk.hpp"
#include "bankshot/simt/memory/mapped_range.hpp"
#include "bankshot/simt/memory/reduce.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/transactions/transaction.hpp"

namespace bankshot::simt {

constexpr uint32_t kBulkUnit = 16;  ///< sizes and addresses of bulk copies are multiples

uint64_t address_of(const Warp& w, const AddressRef& a, unsigned lane) {
  return lane_address(w, a.base, static_cast<uint64_t>(a.offset), a.wide, lane);
}

int64_t shared_of(Warp& w, const Instr* i, const AddressRef& a, unsigned lane) {
  const uint64_t address = address_of(w, a, lane);
  const int64_t offset = shared_offset(w, a.space, address);
  if (offset < 0) {
    fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
          "this side of the copy must be in shared memory of the CTA or its cluster");
  }
  return offset;
}

void count_rows(Warp& w, const Instr* i, scratchpad::AccessKind kind, uint64_t offset, uint64_t bytes) {
  constexpr unsigned kWord = 4;
  const unsigned lanes = w.worker->program->lanes;
  std::array<uint32_t, 64> words{};
  for (uint64_t done = 0; done < bytes; done += uint64_t{lanes} * kWord) {
    const auto count = static_cast<unsigned>(std::min<uint64_t>(lanes, (bytes - done) / kWord));
    for (unsigned k = 0; k < count; ++k) words[k] = static_cast<uint32_t>(offset + done) + k * kWord;
    count_in_cluster(w, i->aux, kind, kWord, words.data(), ~uint64_t{0} >> (64 - count));
  }
}

std::byte* bulk_range(Warp& w, const Instr* i, ptx::Space space, uint64_t address, uint64_t bytes, bool write,
                      unsigned lane) {
  if (address % kBulkUnit != 0) {
    fault(w, i, Fault::Kind::misaligned, static_cast<int>(lane), address,
          "addresses of bulk copies must be multiples of 16");
    return nullptr;
  }
  if (space == ptx::Space::shared) {
    // The memory of the next rank begins where the window of this one ends: the last unit says nothing.
    const Cta* const cta = cta_at(*w.cta, address);
    if (cta != nullptr && byte_in_cta(address) + bytes > cta->shared_bytes) {
      fault(w, i, Fault::Kind::out_of_shared, static_cast<int>(lane), address,
            "a copy of " + std::to_string(bytes) + " bytes at byte " + std::to_string(byte_in_cta(address)) +
                " of shared memory, but the CTA has " + std::to_string(cta->shared_bytes) + " bytes of it");
      return nullptr;
    }
  }
  void* const first = lane_pointer(w, i, space, address, kBulkUnit, write, lane);
  if (first == nullptr || lane_pointer(w, i, space, address + bytes - kBulkUnit, kBulkUnit, write, lane) == nullptr)
    return nullptr;
  if (space != ptx::Space::shared) {
    // Parameters are no allocation: what holds the first and the last unit of them holds all between.
    const bool is_memory = w.worker->memory->find(address) != nullptr;
    if (is_memory && !reaches(*w.worker->memory, address, bytes)) {
      fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address + bytes,
            "a bulk copy reaches into another allocation");
      return nullptr;
    }
  }
  return static_cast<std::byte*>(first);
}

void use_default_rounding(Warp& w) {
  constexpr unsigned kDefault = 0x1f80;
  _mm_setcsr(kDefault);
  w.worker->fp = FpMode::kNearest;
}

BulkTargets bulk_targets(const Warp& w, const CopyInfo& copy, unsigned lane, uint64_t to, uint64_t barrier) {
  BulkTargets targets;
  if (copy.ctas == OperandRef::kNone) {
    targets.places[targets.count++] = {to, barrier};
    return targets;
  }
  give_rank(*w.cta);
  for (uint32_t rest = w.row<const uint16_t>(copy.ctas)[lane]; rest != 0; rest &= rest - 1) {
    const uint64_t cta = (static_cast<uint64_t>(std::countr_zero(rest)) + 1) << Windows::kCtaShift;
    targets.places[targets.count++] = {cta | byte_in_cta(to), cta | byte_in_cta(barrier)};
  }
  return targets;
}

bool bulk_arrives(Warp& w, const Instr* i, const BulkTargets& targets, BulkArrival arrival, unsigned lane) {
  if (w.worker->sm >= 0) {
    for (unsigned k = 0; k < targets.count; ++k) arrival.barriers.push_back(targets.places[k].barrier);
    w.worker->bulk.push_back(std::move(arrival));
    return true;
  }
  for (unsigned k = 0; k < targets.count; ++k) {
    if (!complete_bytes_at(w, i, targets.places[k].barrier, arrival.bytes, lane)) return false;
  }
  return true;
}

void bulk_leaves(Warp& w, BulkArrival store) {
  if (w.worker->sm >= 0) w.worker->bulk.push_back(std::move(store));
}

namespace {

using ptx::Space;
using scratchpad::AccessKind;

const CopyInfo& copy_of(const Warp& w, const Instr* i) { return w.worker->program->copies[i->op[5]]; }

const Instr* wrong(Warp& w, const Instr* i, unsigned lane, const std::string& what) {
  return fault(w, i, Fault::Kind::bad_copy, static_cast<int>(lane), 0, what);
}

/// What a lane of cp.async reads: zeros behind `read` bytes. @return false after a fault
bool fetch(Warp& w, const Instr* i, unsigned lane, unsigned bytes, unsigned read, std::byte* to) {
  const auto space = static_cast<Space>(i->small);
  const uint64_t from = lane_address(w, i, lane);
  std::memset(to, 0, bytes);
  if (read == bytes) return load_lane(w, i, space, from, bytes, lane, to);
  if (from % bytes != 0) {
    fault(w, i, Fault::Kind::misaligned, static_cast<int>(lane), from,
          "the address of a copy must be a multiple of its bytes");
    return false;
  }
  for (unsigned k = 0; k < read; ++k) {
    if (!load_lane(w, i, space, from + k, 1, lane, to + k)) return false;
  }
  return true;
}

/// What arrives overwrites what is there, or is combined with it.
void put(Warp& w, const CopyInfo& copy, std::byte* target, const std::byte* source, uint32_t bytes) {
  const auto reduction = static_cast<Reduction>(copy.reduction);
  if (reduction == Reduction::none) {
    std::memmove(target, source, bytes);
    return;
  }
  use_default_rounding(w);
  const unsigned step = ptx::bits(copy.type) / 8;
  for (uint32_t at = 0; at < bytes; at += step) reduce(reduction, copy.type, target + at, source + at);
}

/// f(lane, bytes) for the lanes that copy anything. @return the next instruction, null after a fault
template <class F>
const Instr* for_bulks(Warp& w, const Instr* i, F f) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a bulk copy");
  const CopyInfo& copy = copy_of(w, i);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint32_t bytes = w.row<const uint32_t>(copy.size)[lane];
    if (bytes % kBulkUnit != 0)
      return wrong(w, i, lane, "the size of a bulk copy is a multiple of 16, not " + std::to_string(bytes));
    if (bytes != 0 && !f(lane, bytes)) return nullptr;
  }
  return i + 1;
}

}  // namespace

const Instr* run_async_copy(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a cp.async");
  const CopyInfo& copy = copy_of(w, i);
  const uint64_t ignored = copy.ignored == OperandRef::kNone ? 0 : w.predicate_value(copy.ignored);
  std::array<uint32_t, 64> offsets{};
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const int64_t to = shared_of(w, i, copy.to, lane);
    if (to < 0) return nullptr;
    const auto offset = static_cast<uint64_t>(to);
    const bool elsewhere = is_elsewhere(*w.cta, offset);
    if (elsewhere && cta_at(*w.cta, offset) != nullptr)
      return wrong(w, i, lane,
                   "cp.async copies to the CTA's own shared memory, and this is another one's of the cluster");
    offsets[lane] = static_cast<uint32_t>(elsewhere ? offset : byte_in_cta(offset));  // nobody's: store_lane tells
    uint32_t read = copy.size == OperandRef::kNone ? copy.bytes : w.row<const uint32_t>(copy.size)[lane];
    if ((ignored >> lane & 1) != 0) read = 0;
    if (read > copy.bytes) {
      return wrong(w, i, lane,
                   std::to_string(read) + " bytes are to be read by a copy of " + std::to_string(copy.bytes));
    }
    alignas(16) std::array<std::byte, 16> value;
    if (!fetch(w, i, lane, copy.bytes, read, value.data())) return nullptr;
    if (!store_lane(w, i, Space::shared, offsets[lane], copy.bytes, lane, value.data())) return nullptr;
  }
  count_shared(w, i->aux, AccessKind::store, copy.bytes, offsets.data(), w.active);
  if (w.worker->checks != nullptr) w.worker->checks->copies(w, i, w.active, offsets.data(), copy.bytes);
  return i + 1;
}

const Instr* run_bulk_load(Warp& w, const Instr* i) {
  const CopyInfo& copy = copy_of(w, i);
  return for_bulks(w, i, [&](unsigned lane, uint32_t bytes) {
    const int64_t to = shared_of(w, i, copy.to, lane), barrier = to < 0 ? -1 : shared_of(w, i, copy.barrier, lane);
    if (barrier < 0) return false;
    const uint64_t from = lane_address(w, i, lane);
    const std::byte* const source = bulk_range(w, i, static_cast<Space>(i->small), from, bytes, false, lane);
    if (source == nullptr) return false;
    const BulkTargets targets = bulk_targets(w, copy, lane, static_cast<uint64_t>(to), static_cast<uint64_t>(barrier));
    for (unsigned k = 0; k < targets.count; ++k) {
      std::byte* const target = bulk_range(w, i, Space::shared, targets.places[k].to, bytes, true, lane);
      if (target == nullptr) return false;
      std::memcpy(target, source, bytes);
      count_rows(w, i, AccessKind::store, targets.places[k].to, bytes);
      if (Checks* const checks = w.worker->checks)
        checks->copies_bulk(w, i, lane, targets.places[k].to, bytes, true, targets.places[k].barrier);
    }
    return bulk_arrives(w, i, targets, {{{from, bytes}}, {}, bytes, lane}, lane);
  });
}

const Instr* run_bulk_store(Warp& w, const Instr* i) {
  const CopyInfo& copy = copy_of(w, i);
  return for_bulks(w, i, [&](unsigned lane, uint32_t bytes) {
    const int64_t from = shared_of(w, i, copy.from, lane);
    if (from < 0) return false;
    const uint64_t to = lane_address(w, i, lane);
    const std::byte* const source = bulk_range(w, i, Space::shared, static_cast<uint64_t>(from), bytes, false, lane);
    std::byte* const target = bulk_range(w, i, static_cast<Space>(i->small), to, bytes, true, lane);
    if (source == nullptr || target == nullptr) return false;
    put(w, copy, target, source, bytes);
    count_rows(w, i, AccessKind::load, static_cast<uint64_t>(from), bytes);
    if (Checks* const checks = w.worker->checks) {
      checks->copies_bulk(w, i, lane, static_cast<uint64_t>(from), bytes, false, -1);
      checks->written(to, bytes);
    }
    bulk_leaves(w, {{{to, bytes}}, {}, bytes, lane});
    return true;
  });
}

const Instr* run_bulk_move(Warp& w, const Instr* i) {
  const CopyInfo& copy = copy_of(w, i);
  return for_bulks(w, i, [&](unsigned lane, uint32_t bytes) {
    const int64_t from = shared_of(w, i, copy.from, lane), to = from < 0 ? -1 : shared_of(w, i, copy.to, lane);
    const int64_t barrier = to < 0 ? -1 : shared_of(w, i, copy.barrier, lane);
    if (barrier < 0) return false;
    const std::byte* const source = bulk_range(w, i, Space::shared, static_cast<uint64_t>(from), bytes, false, lane);
    std::byte* const target = bulk_range(w, i, Space::shared, static_cast<uint64_t>(to), bytes, true, lane);
    if (source == nullptr || target == nullptr) return false;
    put(w, copy, target, source, bytes);
    count_rows(w, i, AccessKind::load, static_cast<uint64_t>(from), bytes);
    if (Checks* const checks = w.worker->checks) {
      checks->copies_bulk(w, i, lane, static_cast<uint64_t>(from), bytes, false, barrier);
      checks->copies_bulk(w, i, lane, static_cast<uint64_t>(to), bytes, true, barrier);
    }
    return complete_bytes_at(w, i, static_cast<uint64_t>(barrier), bytes, lane);
  });
}

}  // namespace bankshot::simt
