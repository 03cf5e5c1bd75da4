// How many lanes and distinct words fall on the fullest bank: what a phase costs.
#pragma once

#include <cstdint>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

inline constexpr unsigned kMaxPhaseWords = 64 * 5;  // 64 lanes of 16 bytes over 4-byte banks, misaligned

struct Loads {
  uint32_t lanes = 0;  ///< most lanes on one bank
  uint32_t words = 0;  ///< most distinct words on one bank
  bool operator==(const Loads&) const = default;
};

/// For any host and any number of words. @param banks  a power of two up to kMaxBanks
/// @param word  may be reordered
Loads loads_portable(uint32_t* word, unsigned count, unsigned banks);

/// The same under a bank hash, for up to kMaxPhaseWords words.
Loads loads_hashed(uint32_t* word, unsigned count, const BankHash& hash);

/// Whether this host can run loads_avx512.
bool has_loads_avx512();
/// The same for 1 to 32 words, by comparing all words with each other bit by bit. @param word  32 readable entries
Loads loads_avx512(const uint32_t* word, unsigned count, unsigned banks);

}  // namespace bankshot::scratchpad
