// What a command concluded from a run, for formats that carry a verdict. Plain data.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::formats {

/// One limit, applied to one kernel.
struct Judged {
  size_t kernel = 0;     ///< index into RunReport::kernels
  std::string limit;     ///< as typed: "conflicts>0"
  std::string sentence;  ///< how it is exceeded; empty: it is not
};

struct Verdict {
  std::vector<Judged> judged = {};     ///< kernel by kernel
  std::vector<std::string> gaps = {};  ///< sentences: why the report may lack something, beyond what it says itself
  bool strict = false;                 ///< warnings count as errors
};

/// A report with what was concluded from it. The report must outlive it.
struct Run {
  const report::RunReport& report;
  Verdict verdict = {};
};

/// Where the reader of a document stands.
struct Surroundings {
  std::string version;  ///< of Bankshot: "0.1.0"
  std::string root;     ///< working directory: paths of files below it are told from there
  /// Text of a source line, or empty. May be empty itself.
  std::function<std::string(const simt::Source&)> line_of;
};

/// Every reason why a run does not cover all that the program did; empty: it does. With any, nothing may look clean.
std::vector<std::string> all_gaps(const Run& run);

}  // namespace bankshot::formats
