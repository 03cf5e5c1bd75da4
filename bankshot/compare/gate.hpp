// Limits on the counters of a kernel: --fail-on 'conflicts>N'.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::compare {

struct Gate {
  enum class Counter { conflicts, wavefronts };
  Counter counter = Counter::conflicts;
  uint64_t limit = 0;
  std::string text = {};  ///< as it was given
};

/// "conflicts>N" or "wavefronts>N", blanks allowed.
Result<Gate> parse_gate(const std::string& text);

/// How a kernel's counter, without what is suppressed, is above the limit, in a sentence; empty if it is not.
std::string how_exceeded(const Gate& gate, const report::Kernel& kernel, const report::RunReport& report);

}  // namespace bankshot::compare
