// The sites of a kernel by source line: loops are unrolled and functions inlined, so one line is many instructions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// The sites of one source line; without line information, one site.
struct LineGroup {
  /// Indices into Kernel::sites, never empty: most conflicts first, of equals by place in the PTX.
  std::vector<size_t> sites;
  SharedTotals shared;  ///< sums over them
};

/// Every site is in one group. Most conflicts first; of equals, by the place of the first site in the PTX.
std::vector<LineGroup> line_groups(const Kernel& kernel);

/// The first of them that is not suppressed.
std::optional<LineGroup> heaviest_line(const RunReport& report, const Kernel& kernel);

/// Index of the site whose worst access needs the most wavefronts, of those that have conflicts if any has.
size_t worst_site(const Kernel& kernel, const LineGroup& group);

}  // namespace bankshot::report
