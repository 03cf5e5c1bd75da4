// The accesses of global memory of a kernel by source line.
#pragma once

#include <cstddef>
#include <vector>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// The L1Sites of one source line; without line information, one site.
struct L1Line {
  /// Indices into Kernel::l1_sites, never empty: most lost cycles first, of equals by place in the PTX.
  std::vector<size_t> sites;
  scratchpad::L1Sums<uint64_t> sums;
};

/// Every site is in one line. Most lost cycles first; of equals, by the place of the first site in the PTX.
std::vector<L1Line> l1_lines(const Kernel& kernel);

}  // namespace bankshot::report
