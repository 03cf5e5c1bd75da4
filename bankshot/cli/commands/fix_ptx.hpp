// bankshot fix kernel.ptx: shared arrays of a PTX file are rewritten without a run.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bankshot/cli/base/described_launch.hpp"

namespace bankshot::cli {

struct PtxFix {
  std::string file, gpu;
  std::string folder;                 ///< where the PTX goes; empty: standard output
  std::string hash, patterns, array;  ///< a hash for one array, or a file of patterns to search it for; empty: hashes
                                      ///< of all arrays are searched
  std::vector<std::string> kernels;   ///< parts of names; empty: all. With `array`, the first that has it
  bool joined = true;                 ///< accesses are joined as machine code for the GPU has them, for the search
  const DescribedLaunch* launch = nullptr;  ///< for the search: patterns come from the code
  std::chrono::milliseconds time_limit{10000};
  std::string hash_class = {};  ///< of the hashes that are searched; empty: any
};

/// @return exit status
int fix_ptx(const PtxFix& job);

}  // namespace bankshot::cli
