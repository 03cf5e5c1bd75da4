#include "bankshot/timing/memory/address_map.hpp"

#include <bit>

#include "bankshot/timing/memory/partition.hpp"

namespace bankshot::timing {
namespace {

/// The turn's bytes XORed: a stride over channels changes some byte, and so the channel.
uint64_t fold(uint64_t turn) {
  turn ^= turn >> 32;
  turn ^= turn >> 16;
  turn ^= turn >> 8;
  return turn & 0xff;
}

struct Division {
  uint64_t quotient, remainder;
};
/// Most of a machine's numbers are powers of two, which spares the division.
Division divide(uint64_t number, uint64_t by) {
  if ((by & (by - 1)) == 0) return {number >> std::countr_zero(by), number & (by - 1)};
  return {number / by, number % by};
}

}  // namespace

ChannelAddress locate(const DramConfig& config, uint64_t address) {
  const auto [block, byte] = divide(address, config.interleave_bytes);
  const auto [turn, position] = divide(block, config.channels);
  const uint64_t channel = config.hashed_channels ? divide(position + fold(turn), config.channels).remainder : position;
  return {static_cast<unsigned>(channel), turn * config.interleave_bytes + byte};
}

DramPlace place(const DramConfig& config, uint64_t offset) {
  const auto [row, bank] = divide(divide(offset, config.row_bytes).quotient, config.banks);
  return {row, static_cast<unsigned>(bank)};
}

unsigned channel_of(const Config& config, uint64_t address) { return locate(config.dram, address).channel; }

}  // namespace bankshot::timing
