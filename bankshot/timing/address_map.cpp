#include "bankshot/timing/address_map.hpp"

#include "bankshot/timing/partition.hpp"

namespace bankshot::timing {
namespace {

/// The turn's bytes XORed: a stride over channels changes some byte, and so the channel.
uint64_t fold(uint64_t turn) {
  turn ^= turn >> 32;
  turn ^= turn >> 16;
  turn ^= turn >> 8;
  return turn & 0xff;
}

}  // namespace

ChannelAddress locate(const DramConfig& config, uint64_t address) {
  const uint64_t block = address / config.interleave_bytes, byte = address % config.interleave_bytes;
  const uint64_t turn = block / config.channels, position = block % config.channels;
  const uint64_t channel = config.hashed_channels ? (position + fold(turn)) % config.channels : position;
  return {static_cast<unsigned>(channel), turn * config.interleave_bytes + byte};
}

DramPlace place(const DramConfig& config, uint64_t offset) {
  const uint64_t number = offset / config.row_bytes;
  return {number / config.banks, static_cast<unsigned>(number % config.banks)};
}

unsigned channel_of(const Config& config, uint64_t address) { return locate(config.dram, address).channel; }

}  // namespace bankshot::timing
