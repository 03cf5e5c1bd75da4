// What one access of a warp to global memory costs in a first-level cache, if its lines are there.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bankshot/scratchpad/access/access.hpp"

namespace bankshot::scratchpad {

/// A first-level cache. The numbers come from the GPU file.
struct L1Rules {
  Rules banks;  ///< of its data: l1_bank_rules()
  unsigned line_bytes = 128, sector_bytes = 32;
  unsigned tags = 1;  ///< lines of an access that are looked up a cycle
  bool operator==(const L1Rules&) const = default;
};

/// The banks of a first-level cache: of 4 bytes and not hashed. They serve lanes as those of shared memory do.
/// Source: gpu-benches, gpu-strides (gpus/h100.toml): a strided load takes the wavefronts of a shared one.
Rules l1_bank_rules(Rules shared, unsigned banks);

/// Where lanes are for the banks: equal where addresses are, and with the same lower bits, which choose the bank; 0 of
/// lanes that are off.
std::array<uint32_t, kMaxLanes> bank_addresses(const uint64_t* address, uint64_t lanes);

/// What warp accesses cost, and what they would cost at best. `ideal` is what the lanes' bytes, each counted once, need
/// if they lie together, and wavefronts without conflicts.
template <class Number>
struct L1Sums {
  Number sectors = 0, ideal_sectors = 0;
  Number tags = 0, ideal_tags = 0;              ///< lines
  Number wavefronts = 0, ideal_wavefronts = 0;  ///< of the banks, which only loads have
  Number cycles = 0, ideal_cycles = 0;          ///< the larger of wavefronts and lookups of L1Rules::tags lines each

  Number lost() const { return cycles - ideal_cycles; }
  bool operator==(const L1Sums&) const = default;
};
using L1Cost = L1Sums<uint32_t>;

/// Each sum by its name, in pairs of needed and ideal.
template <class Number>
struct L1SumName {
  std::string_view name;
  Number L1Sums<Number>::* value;
};
template <class Number>
inline constexpr std::array<L1SumName<Number>, 8> kL1SumNames = {{
    {"sectors", &L1Sums<Number>::sectors},
    {"ideal_sectors", &L1Sums<Number>::ideal_sectors},
    {"tags", &L1Sums<Number>::tags},
    {"ideal_tags", &L1Sums<Number>::ideal_tags},
    {"wavefronts", &L1Sums<Number>::wavefronts},
    {"ideal_wavefronts", &L1Sums<Number>::ideal_wavefronts},
    {"cycles", &L1Sums<Number>::cycles},
    {"ideal_cycles", &L1Sums<Number>::ideal_cycles},
}};

inline void add(L1Sums<uint64_t>& to, const L1Sums<uint64_t>& from) {
  for (const L1SumName<uint64_t>& sum : kL1SumNames<uint64_t>) to.*sum.value += from.*sum.value;
}

/// @param reads    a load that looks for its data in the cache: it has the banks
/// @param width    bytes a lane, a power of two up to 32
/// @param address  by lane, multiples of `width`; those of inactive lanes are not read
/// @param lanes    that access; not 0
L1Cost l1_cost(const L1Rules& rules, bool reads, unsigned width, const uint64_t* address, uint64_t lanes);

}  // namespace bankshot::scratchpad
