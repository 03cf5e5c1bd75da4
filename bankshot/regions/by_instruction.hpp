// The accesses of a run by the words that instructions have to themselves.
#pragma once

#include <map>
#include <string>

#include "bankshot/report/run/instruction_patterns.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::regions {

/// Splits the shared memory of each kernel that accessed any, and its patterns likewise. If the words of
/// the instructions cannot be separated, or a traced access contradicts them, the kernel is one part that keeps its
/// banks; `why_kept` says why.
/// @param report  of a run with traced accesses
/// @param ptx     of its modules, by digest
/// @return an error if a module cannot be loaded, or memory is accessed beyond what hashes work on
Result<report::InstructionPatterns> by_instruction(const report::RunReport& report,
                                                   const std::map<std::string, std::string>& ptx);

}  // namespace bankshot::regions
