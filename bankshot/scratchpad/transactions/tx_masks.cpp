#include "bankshot/scratchpad/transactions/tx_masks.hpp"

namespace bankshot::scratchpad {

std::string_view paper_name(TxMode mode) {
  switch (mode) {
    case TxMode::none: return "NORMAL";
    case TxMode::concurrent: return "TX";
    case TxMode::warp_serialised: return "WF Serial.";
    case TxMode::cta_serialised: return "WG Serial.";
  }
  return {};
}

void TxMasks::enter(uint64_t lanes) {
  *this = {};
  exec = lanes;
  mode = TxMode::concurrent;
}

uint64_t TxMasks::begin() {
  conflicts = next;
  return exec & ~conflicts;
}

/// The mask that did not change in two consecutive tries escalates; a mask that did goes back to trying all at once, as
/// behind the third try of Table 1. The lane that a serialised try lets run is the lowest, as there (0011 -> 0001).
uint64_t TxMasks::commit() {
  const uint64_t committed = exec & ~conflicts;
  exec = conflicts;
  if (conflicts == 0) {
    mode = TxMode::none;
    return committed;
  }
  const bool same = has_last && last == conflicts;
  mode = !same ? TxMode::concurrent : mode == TxMode::concurrent ? TxMode::warp_serialised : TxMode::cta_serialised;
  has_last = true;
  last = conflicts;
  next = mode == TxMode::concurrent ? 0 : conflicts & (conflicts - 1);
  return committed;
}

}  // namespace bankshot::scratchpad
