// The file of access patterns by instruction: bankshot/instruction-patterns/1. docs/json.md.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/report/run/instruction_patterns.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::report {

std::string to_json(const InstructionPatterns& patterns);
/// The error names the place in the document: "kernels[0].parts[2].words: …".
Result<InstructionPatterns> instruction_patterns_from_json(std::string_view text);

}  // namespace bankshot::report
