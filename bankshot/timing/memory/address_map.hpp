// Where an address of the memory system lies: channel, and place in the channel's DRAM.
//
//     address = block * interleave_bytes + byte       block = turn * channels + position
//     channel = (position + fold) mod channels        fold = 0, or the turn's bytes XORed (hashed_channels)
//     offset  = turn * interleave_bytes + byte        what the channel sees: its own bytes without gaps
//     offset  = row number * row_bytes + column       bank = row number mod banks, row = row number / banks
//
// In one round, every position has its own channel, so (channel, offset) names one address, hashed or not, for any
// number of channels. Consecutive rows of a channel are on different banks, so a stream opens the next row while it
// reads one. A line lies on one channel and in one row if interleave_bytes and row_bytes are multiples of it.
#pragma once

#include <cstdint>

#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {

struct ChannelAddress {
  unsigned channel = 0;
  uint64_t offset = 0;  ///< byte in the channel
};
ChannelAddress locate(const DramConfig& config, uint64_t address);

struct DramPlace {
  uint64_t row = 0;
  unsigned bank = 0;
};
DramPlace place(const DramConfig& config, uint64_t offset);

}  // namespace bankshot::timing
