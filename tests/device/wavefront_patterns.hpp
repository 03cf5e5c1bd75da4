// Accesses of a warp to shared memory, made from a seed: for the program that a profiler counts (wavefronts.cu) and for
// the test that compares the rules with what it counted (tests/unit/gpu/h200_wavefronts_test.cpp).
#pragma once

#include <cstdint>
#include <vector>

namespace bankshot::device {

constexpr int kCount = 96, kLanes = 32, kBytes = 32768;  ///< accesses, lanes of each, bytes of memory
constexpr uint32_t kOff = 0xffffffffu;                   ///< in place of an offset: the lane takes no part

struct Random {
  uint64_t state;
  uint32_t below(uint32_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(((state >> 33) * n) >> 31);
  }
};

/// Offsets in bytes by access and lane. @param width  bytes of a lane, to which offsets are aligned
inline std::vector<uint32_t> patterns(uint32_t width, bool all_lanes, uint64_t seed) {
  Random random{seed};
  std::vector<uint32_t> all;
  const uint32_t units = kBytes / width;
  for (uint32_t k = 0; k < kCount; ++k) {
    const uint32_t few = 1 + random.below(8), stride = random.below(70), start = random.below(units);
    const uint32_t in_row = 1 + random.below(16), pitch = random.below(300), modulo = 1u << random.below(6);
    uint32_t words[32];
    for (uint32_t& word : words) word = random.below(units);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint32_t unit = 0;
      switch (k % 16) {
        case 0: unit = words[lane]; break;                                    // anywhere
        case 1: unit = start + lane * stride; break;                          // a stride
        case 2: unit = words[random.below(few)]; break;                       // few places
        case 3: unit = start + lane % in_row + lane / in_row * pitch; break;  // rows of a tile
        case 4: unit = words[lane] / 128 * 128 + start % 128; break;          // one bank
        case 5: unit = words[lane / 2 * 2]; break;                            // pairs
        case 6: unit = start / 512 * 512 + random.below(512); break;          // near each other
        case 7: unit = words[0] + (lane ^ start % 32) * modulo; break;        // a permutation
        case 8: unit = words[lane / 16]; break;                               // one place for each half
        case 9: unit = words[lane / 8]; break;                                // one for each quarter
        case 10: unit = words[lane >> start % 5 & 1]; break;                  // two places in turns
        case 11: unit = words[lane % 16]; break;                              // the halves alike, anywhere
        case 12: unit = start + lane % 16; break;                             // the halves alike, one after the other
        case 13: unit = start + lane % 8; break;                              // the quarters alike
        case 14: unit = start + lane / 2; break;                              // pairs, one after the other
        default: unit = start + (lane & ~(1u << start % 5)); break;           // pairs further apart
      }
      const bool off = !all_lanes && k % 3 == 2 && random.below(4) == 0;
      all.push_back(off ? kOff : unit % units * width);
    }
  }
  return all;
}

}  // namespace bankshot::device
