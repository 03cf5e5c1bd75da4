// What copies in bulk have in common, of plain bytes (async_copy.cpp) and of tensors (tensor_copy.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {

/// The address that a lane has there.
uint64_t address_of(const Warp& w, const AddressRef& a, unsigned lane);
/// The offset in the shared window; -1 after a fault.
int64_t shared_of(Warp& w, const Instr* i, const AddressRef& a, unsigned lane);

/// Shared memory is filled and emptied in rows of all banks: counts them. @param offset  in the shared window
void count_rows(Warp& w, const Instr* i, scratchpad::AccessKind kind, uint64_t offset, uint64_t bytes);

/// Host memory of a range in multiples of 16 bytes; null after a fault.
std::byte* bulk_range(Warp& w, const Instr* i, ptx::Space space, uint64_t address, uint64_t bytes, bool write,
                      unsigned lane);

/// Where the data of a lane goes, and the barrier that learns of it: offsets in the shared window.
struct BulkTargets {
  struct Place {
    uint64_t to = 0, barrier = 0;
  };
  std::array<Place, Windows::kMostCtas> places;
  unsigned count = 0;
};
/// One place; with .multicast the same byte of each CTA in the mask.
BulkTargets bulk_targets(const Warp& w, const CopyInfo& copy, unsigned lane, uint64_t to, uint64_t barrier);

/// The data is there: tells the barriers, or a timing model, which does so later. @return false after a fault
bool bulk_arrives(Warp& w, const Instr* i, const BulkTargets& targets, BulkArrival arrival, unsigned lane);

/// The data has been stored in global memory: tells a timing model, if there is one.
void bulk_leaves(Warp& w, BulkArrival store);

/// Floating-point numbers are rounded to nearest from here on, and subnormal ones kept; who needs another mode sets it.
void use_default_rounding(Warp& w);

}  // namespace bankshot::simt
