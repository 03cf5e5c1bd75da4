// The file of hashes of single instructions: bankshot/instruction-hashes/1. docs/json.md.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/report/run/instruction_hashes.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::report {

std::string to_json(const InstructionHashes& hashes);
/// The error names the place in the document: "kernels[0].hashes[1].words[0]: …".
Result<InstructionHashes> instruction_hashes_from_json(std::string_view text);

}  // namespace bankshot::report
