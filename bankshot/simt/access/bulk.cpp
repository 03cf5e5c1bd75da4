#include "bankshot/simt/access/bulk.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <array>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/memory/mapped_range.hpp"

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

// Not inlined, so that no arithmetic of the caller moves across it.
[[gnu::noinline]] void use_default_rounding(Warp& w) {
  constexpr unsigned kDefault = 0x1f80;
  _mm_setcsr(kDefault);
  w.worker->fp = FpMode::kNearest;
}

}  // namespace bankshot::simt
