// What copies in bulk have in common, of plain bytes (async_copy.cpp) and of tensors (tensor_copy.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Alignment of the sizes and addresses of bulk copies, in bytes.
inline constexpr uint32_t kBulkUnit = 16;

/// The address that a lane has there.
uint64_t address_of(const Warp& w, const AddressRef& a, unsigned lane);
/// The offset in the shared window; -1 after a fault.
int64_t shared_of(Warp& w, const Instr* i, const AddressRef& a, unsigned lane);

/// Shared memory is filled and emptied in rows of all banks: counts them. @param offset  in the shared window
void count_rows(Warp& w, const Instr* i, scratchpad::AccessKind kind, uint64_t offset, uint64_t bytes);

/// Host memory of a range in multiples of 16 bytes; null after a fault.
std::byte* bulk_range(Warp& w, const Instr* i, ptx::Space space, uint64_t address, uint64_t bytes, bool write,
                      unsigned lane);

/// st.bulk: each lane that executes sets bytes of shared memory to zero. op[0], imm, small, kWide: the address; op[1]:
/// row of sizes in bytes, 64 bits each; aux: site
const Instr* run_bulk_fill(Warp& w, const Instr* i);

/// Floating-point numbers are rounded to nearest from here on, and subnormal ones kept; who needs another mode sets it.
void use_default_rounding(Warp& w);

}  // namespace bankshot::simt
