// The report as a person reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"

namespace bankshot::report {

struct TextOptions {
  bool colour = false;
  unsigned top = 10;          ///< source lines with conflicts shown for each kernel
  bool read_sources = true;   ///< show the text of source lines
  bool legend = true;         ///< say how to read pictures, and how well the rules are known
  bool whole_names = false;   ///< names of templates and chains of inlined calls in full
  size_t width = 100;         ///< columns of a line
  SourcePolicy sources = {};  ///< which files may be quoted
};

/// Kernels in the order of their first launches; in each the source lines by wasted wavefronts, with a picture of the
/// worst access; after pictures, how to read them and on what evidence the rules stand. Of simulated launches what they
/// took (timing_text.hpp). Lines of at most TextOptions::width columns, tables and long names apart.
std::string to_text(const RunReport& report, const TextOptions& options = {});

/// Breaks lines at blanks so that none has more than `width` bytes; what continues a line has its indentation.
std::string folded(const std::string& text, size_t width);

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
