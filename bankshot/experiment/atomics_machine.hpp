// The scratchpad of the papers on atomics (TPDS'13, ICCD'13) as experiments see it: Fermi's, with hashes if they ask
// for them.
#pragma once

#include <string>

#include "bankshot/experiment/parameters.hpp"
#include "bankshot/scratchpad/atomics/atomics_model.hpp"

namespace bankshot::experiment {

constexpr unsigned kLanes = 32, kBanks = 32, kAddressBits = 14;
constexpr unsigned kWords = 12288;  ///< 48 KB. Source: TPDS'13, section 2

/// Cycles of the loop: the parameters base, round, read_level and write_level.
scratchpad::AtomicsTimes atomics_times(Parameters& parameters);

/// 32 banks and 1,024 locks, both under the hash of one name: none, xor or add.
Result<scratchpad::LockGeometry> atomics_geometry(const std::string& hash);

/// As figures call it: "baseline", "XOR", "ADD".
std::string hash_label(const std::string& hash);

}  // namespace bankshot::experiment
