// The masks of a warp in a transaction: who executes, who met a conflict, who tries again and how. Source: GPU-LocalTM,
// section 3.1 and Table 1; what the text leaves open is settled in tx_masks.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace bankshot::scratchpad {

enum class TxMode : uint8_t {
  none,             ///< NORMAL: no transaction
  concurrent,       ///< TX: all that have to run do
  warp_serialised,  ///< WF Serial.: one lane of the warp
  cta_serialised,   ///< WG Serial.: one lane of the CTA
};
/// As the paper has it: "NORMAL", "TX", "WF Serial.", "WG Serial.".
std::string_view paper_name(TxMode mode);

/// One of each warp.
struct TxMasks {
  uint64_t exec = 0;       ///< lanes that the transaction is yet to commit
  uint64_t conflicts = 0;  ///< TCM: those of them that do not execute
  uint64_t last = 0;       ///< TCM OLD: TCM at the last commit
  bool has_last = false;
  uint64_t next = 0;  ///< TCM at the next begin
  TxMode mode = TxMode::none;

  /// A transaction starts; begin() follows.
  void enter(uint64_t lanes);
  /// TX.Begin of an attempt. @return the lanes that execute
  uint64_t begin();
  /// A conflict was detected for these lanes.
  void conflict(uint64_t lanes) { conflicts |= lanes; }
  /// TX.Commit. @return the lanes that commit. Those that do not are `exec` then; none: the transaction is over
  uint64_t commit();
};

}  // namespace bankshot::scratchpad
