// A comparison as a person reads it.
#pragma once

#include <string>

#include "bankshot/compare/diff.hpp"

namespace bankshot::compare {

struct DiffTextOptions {
  bool colour = false;
  unsigned top = 10;                    ///< lines shown for each kernel, and findings
  std::string before_name, after_name;  ///< of the files, or what else they are called
};

/// What differs in the conditions; kernels and lines that changed, worst first; how many are worse, better, new, gone
/// and the same; the verdict.
std::string diff_text(const Diff& diff, const Snapshot& before, const Snapshot& after, const DiffTextOptions& options);

/// "worse: 1 kernel, 2 lines", "better: …", "nothing is worse or better": the verdict in one line, without a newline.
std::string verdict_text(const Diff& diff);

}  // namespace bankshot::compare
