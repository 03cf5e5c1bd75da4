// A snapshot as a file for version control, bankshot/baseline/1: docs/gates.md.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/compare/snapshot.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::compare {

inline constexpr std::string_view kBaselineSchemas = "bankshot/baseline/";  ///< of all versions, with their number
inline constexpr std::string_view kBaselineSchema = "bankshot/baseline/1";

/// Sorted, one line of text for each kernel, line and finding. Source files below `folder`, absolute, are relative to
/// it; of others the last three components are kept, so that no path of a machine is in it.
std::string to_baseline(const Snapshot& snapshot, const std::string& folder);

/// Reads a baseline, or a report of explain, simulate or check. Any bytes are allowed; the error says what is wrong.
Result<Snapshot> read_snapshot(std::string_view json);

/// Whether a text is a baseline of any version: a file that may be replaced by a baseline.
bool is_baseline(std::string_view json);

}  // namespace bankshot::compare
