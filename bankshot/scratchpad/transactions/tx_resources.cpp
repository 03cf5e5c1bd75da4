#include "bankshot/scratchpad/transactions/tx_resources.hpp"

namespace bankshot::scratchpad {

unsigned owner_bytes(uint32_t threads) { return threads <= 256 ? 1 : 2; }

TxNeeds needs(const Rules& rules, const TxConfig& config, const TxDemand& demand) {
  TxNeeds needs;
  needs.data = needs.backups = demand.shared;
  needs.owners = (demand.shared + rules.bank_bytes - 1) / rules.bank_bytes * owner_bytes(demand.threads);
  needs.registers = needs.shadow_registers = uint64_t{demand.threads} * demand.registers;
  needs.filters = uint64_t{demand.threads} * rules.banks * config.filters();
  return needs;
}

uint64_t most_shared(const Rules& rules, uint64_t capacity, uint32_t threads) {
  const auto taken = [&](uint64_t shared) { return needs(rules, {}, {threads, shared, 0}).bytes(); };
  // Each word takes itself twice and its owner; what is left over may hold a part of one more.
  const uint64_t word = 2 * rules.bank_bytes + owner_bytes(threads);
  uint64_t most = capacity / word * rules.bank_bytes;
  while (taken(most + 1) <= capacity) ++most;
  return most;
}

}  // namespace bankshot::scratchpad
