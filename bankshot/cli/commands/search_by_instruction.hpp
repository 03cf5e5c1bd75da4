// bankshot search --per-instruction: a hash for each load and store of each kernel.
#pragma once

#include <string>

#include "bankshot/search/regions.hpp"

namespace bankshot::cli {

/// Reads the output of bankshot trace --per-instruction, reports the hashes found, and writes them for
/// --instruction-hashes.
/// @param json        file, "-" or empty
/// @param hash_class  that the chooser searches
/// @return the exit status
int search_by_instruction(const std::string& file, const std::string& json, const std::string& hash_class,
                          const search::Chooser& choose);

}  // namespace bankshot::cli
