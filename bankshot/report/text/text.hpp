// The report as a person reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

struct TextOptions {
  bool colour = false;
  unsigned top = 10;         ///< source lines with conflicts shown for each kernel
  bool read_sources = true;  ///< show the text of source lines
  std::string program = {};  ///< built of these sources: later changes are noted; empty: not known
};

/// Kernels in the order of their first launches; in each the source lines by wasted wavefronts, with a picture of the
/// worst access; after pictures, how to read them and on what evidence the rules stand. Of simulated launches what they
/// took (timing_text.hpp). Lines of at most 100 columns, long names apart.
std::string to_text(const RunReport& report, const TextOptions& options = {});

/// "accesses as ptxas joins them for sm_90", "accesses as the PTX has them". @param machine_code  of RunReport
std::string accesses_text(unsigned machine_code);

/// `part` as a share of `whole`; 0 if `whole` is 0.
double share(uint64_t part, uint64_t whole);
/// The same in percent.
double percent(uint64_t part, uint64_t whole);
/// "1,234,567"
std::string grouped(uint64_t number);
/// "1 access", "2,000 accesses"
std::string counted(uint64_t number, std::string_view one, std::string_view more);

}  // namespace bankshot::report
