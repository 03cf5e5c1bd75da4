// The patterns file: accesses of warps, as bankshot trace writes and bankshot search reads them. docs/json.md.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::report {

struct RunReport;

/// The banks of a machine and the lanes of its warps.
struct PatternBanks {
  scratchpad::Rules rules;
  unsigned warp_size = 32;
};

/// @param instead  banks to count by, in place of those that the document names; null: those
/// The error names the place in the document: "patterns[3].addresses[7]: …".
Result<scratchpad::PatternSet> patterns_from_json(std::string_view text, const PatternBanks* instead = nullptr);
/// @param run  the run that the patterns come from, whose `accesses` are written; null: unknown
std::string patterns_to_json(const scratchpad::PatternSet& set, const RunReport* run = nullptr);

}  // namespace bankshot::report
