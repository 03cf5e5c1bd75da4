// What the elastic pipeline and bank-conflict aware scheduling add to a core.
// Source: Gou and Gaydadjiev, Elastic Pipeline (CF'11), tables 1 and 2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {

struct Overhead {
  unsigned nonmem = 0, premem = 0;  ///< entries of the queues: M of equation 2, N of equation 3
  unsigned nonmem_corrected = 0;    ///< M with which nothing stalls where memory stages are fewer than sub-warps
  unsigned latches = 0;             ///< pipeline latches of one lane: (M + N) times the lanes
  unsigned write_back_inputs = 0;   ///< of the multiplexer before write-back: M + 3
  unsigned memory_inputs = 0;       ///< of the one before MEM0: N + 1
  unsigned gates = 0;               ///< AND and NAND, two for each warp of a core
  unsigned counter_bits = 0;  ///< of the accumulator, the counter and the comparator, each: log2 of the warp's lanes
  struct Memory {
    std::string foresight;  ///< name of the component
    unsigned bits = 0;      ///< that it remembers
  };
  std::vector<Memory> memories;  ///< of all components that hardware can have, by name
};

/// Of a core. None if the GPU's file does not say how many memory stages its pipeline has.
std::optional<Overhead> overhead(const Config& config);

}  // namespace bankshot::timing
