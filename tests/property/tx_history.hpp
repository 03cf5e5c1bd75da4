// What transactions did to memory, in the order in which it happened, and whether one after the other could have
// done it. Pure: it knows threads, bytes and values, and nothing of how conflicts are found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankshot::scratchpad {

struct TxEvent {
  enum class What : uint8_t { begin, read, write, commit, abort };
  What what = What::begin;
  uint8_t value = 0;  ///< read: seen; write: left there
  uint16_t thread = 0;
  uint32_t byte = 0;  ///< address of a read or write
  bool operator==(const TxEvent&) const = default;
};

/// Transactions that committed ran as if one after the other in the order of their commits, and those that were aborted
/// as if they had not: every value read, by an attempt that was aborted too, is what its transaction wrote last or else
/// what was committed last; at each access, what its attempt has read before is still committed; at the commit, what it
/// has read is still committed; and `last` is what the commits leave of `first`.
/// @return the first violation in words; empty: none
std::string check_history(const std::vector<TxEvent>& history, const std::vector<uint8_t>& first,
                          const std::vector<uint8_t>& last);

}  // namespace bankshot::scratchpad
