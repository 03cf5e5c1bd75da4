// A comparison as JSON, schema bankshot/diff/1: docs/json.md.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/compare/diff.hpp"

namespace bankshot::compare {

inline constexpr std::string_view kDiffSchema = "bankshot/diff/1";

/// @param before_file, after_file  their names as given
std::string to_json(const Diff& diff, const Snapshot& before, const Snapshot& after, const std::string& before_file,
                    const std::string& after_file);

}  // namespace bankshot::compare
