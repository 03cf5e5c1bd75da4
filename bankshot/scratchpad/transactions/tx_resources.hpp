// What transactions additionally need in an SM: shadow memory, shadow registers, filters. Source: GPU-LocalTM,
// section 4.3.
#pragma once

#include <cstdint>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/transactions/tx_config.hpp"

namespace bankshot::scratchpad {

/// A CTA as it is without them.
struct TxDemand {
  uint32_t threads = 0;
  uint64_t shared = 0;     ///< bytes
  uint32_t registers = 0;  ///< of a thread
};

/// What it takes with them. Bytes of shared memory; 32-bit registers of the CTA.
struct TxNeeds {
  uint64_t data = 0, backups = 0, owners = 0;
  uint64_t registers = 0, shadow_registers = 0;
  uint64_t filters = 0;  ///< registers: one a filter, as section 4.3 has it, one filter a bank and thread (and set)
  uint64_t bytes() const { return data + backups + owners; }
  uint64_t all_registers() const { return registers + shadow_registers + filters; }
};
TxNeeds needs(const Rules& rules, const TxConfig& config, const TxDemand& demand);

/// Bytes that number the owner of a word: one for up to 256 threads.
unsigned owner_bytes(uint32_t threads);
/// The most bytes of shared memory a CTA of so many threads can use of `capacity`: 29,127 of 65,536.
uint64_t most_shared(const Rules& rules, uint64_t capacity, uint32_t threads);

}  // namespace bankshot::scratchpad
