// What a command concluded from a run, for formats that carry a verdict. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::formats {

/// One limit, applied to one kernel: one of --fail-on, the baseline, or another demand of the project.
struct Judged {
  /// A line that is the reason, and what is wrong there.
  struct Line {
    simt::Source source;
    std::string sentence;
  };
  static constexpr size_t kProgram = SIZE_MAX;

  size_t kernel = 0;                        ///< index into RunReport::kernels; kProgram: of the whole program
  std::string limit = {};                   ///< as typed: "conflicts>0"
  std::string sentence = {};                ///< how it is exceeded; empty: it is not
  std::string_view rule = "gate-exceeded";  ///< that notices of it have
  std::vector<Line> lines = {};             ///< empty: the kernel's line with most conflicts stands for it
};

struct Verdict {
  std::vector<Judged> judged = {};     ///< kernel by kernel
  std::vector<std::string> gaps = {};  ///< sentences: why there is no verdict, in addition to the report's own gaps
  bool strict = false;                 ///< warnings count as errors
  std::set<size_t> known = {};         ///< findings that do not fail, as the baseline has them: RunReport::findings
};

/// A report with what was concluded from it. The report must outlive it.
struct Run {
  const report::RunReport& report;
  Verdict verdict = {};
};

/// Context of a document.
struct Surroundings {
  std::string version;  ///< of Bankshot: "0.1.0"
  std::string root;     ///< working directory: paths of files below it are told from there
  /// Text of a source line, or empty. May be empty itself.
  std::function<std::string(const simt::Source&)> line_of;
};

/// Every reason why a run does not cover all that the program did; empty: it does. With any, nothing may look clean.
std::vector<std::string> all_gaps(const Run& run);

/// What there is to say of each of RunReport::changed_sources. @return one line
std::string changed_source_text(const std::string& file);

}  // namespace bankshot::formats
