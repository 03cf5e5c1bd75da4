// What SMs and memory partitions send each other.
#pragma once

#include <cstdint>

#include "bankshot/timing/base/clock.hpp"

namespace bankshot::timing {

/// Sectors of one line. From an SM to a partition, and its answer back.
struct Packet {
  enum class Kind : uint8_t { load, store, atomic };

  Cycle time = 0;     ///< core cycle at which its last flit leaves the sender's port; it arrives the latency later
  uint64_t line = 0;  ///< address of the line's first byte, in the memory system's own addresses
  uint32_t tag = 0;   ///< the sender's; the answer carries it back
  uint16_t sm = 0;
  Kind kind = Kind::load;
  uint8_t sectors = 0;  ///< bit s: sector s of the line
  uint8_t full = 0;     ///< store: sectors all of whose bytes are written, which need no fetch
  uint8_t lanes = 1;    ///< atomic: lanes on the fullest word, which take turns
};

}  // namespace bankshot::timing
