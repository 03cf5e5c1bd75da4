// The report as a person reads it.
#pragma once

#include <cstdint>
#include <string>

#include "bankshot/report/run_report.hpp"

namespace bankshot::report {

struct TextOptions {
  bool colour = false;
  unsigned top = 10;          ///< sites with conflicts shown for each kernel
  bool read_sources = true;   ///< show the text of source lines
};

/// Kernels in the order of their first launches; in each the sites by wasted wavefronts, with a picture of the worst
/// access; at the end on what evidence the rules stand that were used. Lines of at most 100 columns, long names apart.
std::string to_text(const RunReport& report, const TextOptions& options = {});

/// "1,234,567"
std::string grouped(uint64_t number);

}  // namespace bankshot::report
