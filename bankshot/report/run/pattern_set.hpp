// From the traces in a report to access patterns.
#pragma once

#include <span>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::report {

/// What the traces of some kernels kept, equal patterns added up, most weight first.
/// @param as_is  lanes and addresses as they were, else in canonical form
/// @return  the error says that nothing was accessed, or that shared memory is beyond what hashes work on
Result<scratchpad::PatternSet> pattern_set(const scratchpad::Rules& rules, std::span<const Kernel> kernels,
                                           bool as_is = false);

}  // namespace bankshot::report
