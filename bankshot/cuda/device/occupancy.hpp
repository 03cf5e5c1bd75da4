// How many CTAs of a kernel fit on an SM at once.
// Source: CUDA C++ Programming Guide, "Compute Capabilities" (limits), and CUDA Best Practices Guide, "Occupancy"; the
// granularities are those of NVIDIA's occupancy calculator.
#pragma once

#include <cstdint>

namespace bankshot::cuda {

/// What an SM has. Bytes, 32-bit registers.
struct SmLimits {
  uint32_t warp_size = 32;
  uint32_t max_threads_per_block = 1024;
  uint32_t max_warps = 64;
  uint32_t max_blocks = 32;
  uint32_t registers = 65536;
  uint32_t registers_per_block = 65536;
  uint32_t registers_per_thread = 255;
  uint32_t register_unit = 256;   ///< registers of a warp come in multiples of this
  uint32_t register_parts = 4;    ///< the register file is split evenly between this many schedulers
  uint32_t shared = 0;            ///< bytes of shared memory for all its CTAs
  uint32_t shared_unit = 128;     ///< shared memory of a CTA comes in multiples of this
  uint32_t shared_reserved = 0;   ///< bytes per CTA that the system uses
  uint32_t shared_per_block = 0;  ///< the most one CTA may ask for after opting in
};

/// What a CTA needs.
struct BlockNeeds {
  uint32_t threads = 0;
  uint32_t registers = 0;  ///< per thread
  uint64_t shared = 0;     ///< static and dynamic bytes
};

/// CTAs that fit on an SM, and what limits them.
struct Residents {
  uint32_t blocks = 0;     ///< 0 if it cannot hold one
  const char* limited_by;  ///< "warps", "registers", "shared memory" or "CTA slots"; of several the first of these
};
/// A CTA without threads, or with more than allowed, is limited by warps.
Residents residents(const SmLimits& sm, const BlockNeeds& block);

/// Only the number of CTAs; 0 if none fits.
uint32_t blocks_per_sm(const SmLimits& sm, const BlockNeeds& block);

/// The most registers per thread with which the register file holds `blocks` CTAs: the limit of a compiler that knows
/// how the kernel is launched. One CTA has no more than registers_per_block.
uint32_t registers_that_fit(const SmLimits& sm, uint32_t threads, uint32_t blocks = 1);

/// Dynamic shared memory a CTA may use so that `blocks` of them fit on an SM. @param static_shared  bytes
/// @return bytes; 0 if they do not fit at all
uint64_t available_dynamic_shared(const SmLimits& sm, const BlockNeeds& block, uint32_t blocks);

}  // namespace bankshot::cuda
