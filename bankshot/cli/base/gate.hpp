// Which kernels of a run are judged, and by which limits: --kernel NAME, --fail-on 'conflicts>N'.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cli {

struct Gate {
  enum class Counter { conflicts, wavefronts };
  Counter counter = Counter::conflicts;
  uint64_t limit = 0;
};

/// "conflicts>N" or "wavefronts>N", blanks allowed.
Result<Gate> parse_gate(const std::string& text);

/// How a kernel's counter is above the limit, in a sentence; empty if it is not.
std::string how_exceeded(const Gate& gate, const report::Kernel& kernel, const report::RunReport& report);
/// A sentence for each kernel whose counter is above the limit.
std::vector<std::string> exceeded(const Gate& gate, const report::RunReport& report);

/// Keeps the kernels whose names in the source contain one of `parts`; keeps all if `parts` is empty.
/// @return  empty, or an error if a part occurs in no kernel's name: a gate must not pass because of a typo
std::string keep_kernels(report::RunReport& report, const std::vector<std::string>& parts);

}  // namespace bankshot::cli
