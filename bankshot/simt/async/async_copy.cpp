#include "bankshot/simt/async/async_copy.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/async/bulk_targets.hpp"
#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/memory/mapped_range.hpp"
#include "bankshot/simt/state/checker.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {

namespace {

using ptx::Space;

const CopyInfo& copy_of(const Warp& w, const Instr* i) { return w.worker->program->copies[i->op[5]]; }

const Instr* wrong_copy(Warp& w, const Instr* i, unsigned lane, const std::string& what) {
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

constexpr uint32_t kAllBytes = 0xffff;

/// .cp_mask: bit k says whether byte k of every 16 is copied.
void put_some(std::byte* target, const std::byte* source, uint32_t bytes, uint32_t mask) {
  for (uint32_t at = 0; at < bytes; ++at) {
    if ((mask >> at % kBulkUnit & 1) != 0) target[at] = source[at];
  }
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
      return wrong_copy(w, i, lane, "the size of a bulk copy is a multiple of 16, not " + std::to_string(bytes));
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
      return wrong_copy(
          w, i, lane,
          "cp.async copies to the CTA's own shared memory, but this address belongs to another CTA of the cluster");
    offsets[lane] = static_cast<uint32_t>(elsewhere ? offset : byte_in_cta(offset));  // nobody's: store_lane tells
    uint32_t read = copy.size == OperandRef::kNone ? copy.bytes : w.row<const uint32_t>(copy.size)[lane];
    if ((ignored >> lane & 1) != 0) read = 0;
    if (read > copy.bytes) {
      return wrong_copy(
          w, i, lane,
          std::to_string(read) + " bytes to read exceed the size of the copy, " + std::to_string(copy.bytes));
    }
    alignas(16) std::array<std::byte, 16> value;
    if (!fetch(w, i, lane, copy.bytes, read, value.data())) return nullptr;
    if (!store_lane(w, i, Space::shared, offsets[lane], copy.bytes, lane, value.data())) return nullptr;
  }
  count_shared(w, i->aux, scratchpad::AccessKind::copy, copy.bytes, offsets.data(), w.active);
  if (w.worker->checks != nullptr) w.worker->checks->copies(w, i, w.active, offsets.data(), copy.bytes);
  return i + 1;
}

const Instr* run_bulk_load(Warp& w, const Instr* i) {
  const CopyInfo& copy = copy_of(w, i);
  const Instr* const next = for_bulks(w, i, [&](unsigned lane, uint32_t bytes) {
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
      count_rows(w, i, scratchpad::AccessKind::store, targets.places[k].to, bytes);
      if (Checker* const checks = w.worker->checks)
        checks->copies_bulk(w, i, lane, targets.places[k].to, bytes, true, targets.places[k].barrier);
    }
    return bulk_arrives(w, i, targets, {{{from, bytes}}, {}, bytes, lane}, lane);
  });
  return after_phase(w, next);
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
    const uint32_t mask = i->op[4] == OperandRef::kNone ? kAllBytes : w.row<const uint16_t>(i->op[4])[lane];
    if (mask == kAllBytes) {
      put(w, copy, target, source, bytes);
    } else {
      put_some(target, source, bytes, mask);
    }
    count_rows(w, i, scratchpad::AccessKind::load, static_cast<uint64_t>(from), bytes);
    if (Checker* const checks = w.worker->checks) {
      checks->copies_bulk(w, i, lane, static_cast<uint64_t>(from), bytes, false, -1);
      for (uint32_t at = 0; at < bytes && mask != kAllBytes; ++at) {
        if ((mask >> at % kBulkUnit & 1) != 0) checks->written(to + at, 1);
      }
      if (mask == kAllBytes) checks->written(to, bytes);
    }
    bulk_leaves(w, {{{to, bytes}}, {}, bytes, lane});
    return true;
  });
}

const Instr* run_bulk_move(Warp& w, const Instr* i) {
  const CopyInfo& copy = copy_of(w, i);
  const Instr* const next = for_bulks(w, i, [&](unsigned lane, uint32_t bytes) {
    const int64_t from = shared_of(w, i, copy.from, lane), to = from < 0 ? -1 : shared_of(w, i, copy.to, lane);
    const int64_t barrier = to < 0 ? -1 : shared_of(w, i, copy.barrier, lane);
    if (barrier < 0) return false;
    const std::byte* const source = bulk_range(w, i, Space::shared, static_cast<uint64_t>(from), bytes, false, lane);
    std::byte* const target = bulk_range(w, i, Space::shared, static_cast<uint64_t>(to), bytes, true, lane);
    if (source == nullptr || target == nullptr) return false;
    put(w, copy, target, source, bytes);
    count_rows(w, i, scratchpad::AccessKind::load, static_cast<uint64_t>(from), bytes);
    if (Checker* const checks = w.worker->checks) {
      checks->copies_bulk(w, i, lane, static_cast<uint64_t>(from), bytes, false, barrier);
      checks->copies_bulk(w, i, lane, static_cast<uint64_t>(to), bytes, true, barrier);
    }
    return complete_bytes_at(w, i, static_cast<uint64_t>(barrier), bytes, lane);
  });
  return after_phase(w, next);
}

}  // namespace bankshot::simt
