#include "bankshot/simt/access/bulk.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/memory/mapped_range.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {

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
    const Allocation* const there = w.worker->memory->accessible(address);
    if (there != nullptr && address - there->address + bytes > there->size &&
        !reaches(*w.worker->memory, address, bytes)) {
      fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address + bytes,
            "a bulk copy reaches into another allocation");
      return nullptr;
    }
  }
  return static_cast<std::byte*>(first);
}

const Instr* run_bulk_fill(Warp& w, const Instr* i) {
  constexpr uint64_t kUnit = 8, kMost = uint64_t{1} << 24;
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a st.bulk");
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = lane_address(w, i, lane), bytes = w.row<const uint64_t>(i->op[1])[lane];
    const int64_t offset = shared_offset(w, static_cast<ptx::Space>(i->small), address);
    const auto wrong = [&](Fault::Kind kind, const std::string& what) {
      return fault(w, i, kind, static_cast<int>(lane), address, what);
    };
    if (bytes % kUnit != 0 || bytes > kMost)
      return wrong(Fault::Kind::bad_copy,
                   "the size of st.bulk is a multiple of 8 up to 16777216, not " + std::to_string(bytes));
    if (offset < 0 || is_elsewhere(*w.cta, static_cast<uint64_t>(offset)))
      return wrong(Fault::Kind::illegal_address, "st.bulk fills the CTA's own shared memory");
    const uint64_t begin = byte_in_cta(static_cast<uint64_t>(offset));
    if (begin % kUnit != 0) return wrong(Fault::Kind::misaligned, "the address of st.bulk is a multiple of 8");
    if (begin + bytes > w.cta->shared_bytes)
      return wrong(Fault::Kind::out_of_shared, "st.bulk of " + std::to_string(bytes) + " bytes at byte " +
                                                   std::to_string(begin) + " of shared memory, but the CTA has " +
                                                   std::to_string(w.cta->shared_bytes) + " bytes of it");
    if (bytes == 0) continue;
    std::memset(w.cta->shared + begin, 0, bytes);
    count_rows(w, i, scratchpad::AccessKind::store, begin, bytes);
    if (Checker* const checks = w.worker->checks) {
      std::array<uint64_t, 64> place{};
      for (uint64_t at = 0; at < bytes; at += kUnit) {
        place[lane] = begin + at;
        checks->access(w, i, hazards::AccessKind::write, ptx::Space::shared, uint64_t{1} << lane, place.data(), kUnit);
      }
    }
  }
  return i + 1;
}

// Not inlined, so that no arithmetic of the caller moves across it.
[[gnu::noinline]] void use_default_rounding(Warp& w) {
  constexpr unsigned kDefault = 0x1f80;
  _mm_setcsr(kDefault);
  w.worker->fp = FpMode::kNearest;
}

}  // namespace bankshot::simt
