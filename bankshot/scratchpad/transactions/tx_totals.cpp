#include "bankshot/scratchpad/transactions/tx_totals.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr TxCounterName kCounterNames[] = {
    {"transactions", &TxTotals::transactions},
    {"attempts", &TxTotals::attempts},
    {"warp_serialised", &TxTotals::warp_serialised},
    {"cta_serialised", &TxTotals::cta_serialised},
    {"lanes", &TxTotals::lanes},
    {"commits", &TxTotals::commits},
    {"aborts", &TxTotals::aborts},
    {"conflicts", &TxTotals::conflicts},
    {"conflicting_accesses", &TxTotals::conflicting_accesses},
    {"false_conflicts", &TxTotals::false_conflicts},
    {"read_conflicts", &TxTotals::read_conflicts},
    {"killed", &TxTotals::killed},
    {"invalid", &TxTotals::invalid},
    {"accesses", &TxTotals::accesses},
};

}  // namespace

std::span<const TxCounterName> tx_counter_names() { return kCounterNames; }

void add(TxTotals& to, const TxTotals& from) {
  for (const TxCounterName& counter : kCounterNames) to.*counter.value += from.*counter.value;
}

double commit_ratio(const TxTotals& totals) {
  const uint64_t tried = totals.commits + totals.aborts;
  return tried == 0 ? 0 : static_cast<double>(totals.commits) / static_cast<double>(tried);
}

}  // namespace bankshot::scratchpad
