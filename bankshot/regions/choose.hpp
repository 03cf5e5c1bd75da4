// A bank hash for each part of a kernel's shared memory, beside the best one for all of it.
#pragma once

#include <string>

#include "bankshot/report/run/instruction_hashes.hpp"
#include "bankshot/report/run/instruction_patterns.hpp"
#include "bankshot/search/regions.hpp"

namespace bankshot::regions {

/// If a heuristic finds worse hashes for the parts than for the whole, all parts get the one hash.
/// @param rules  of the banks @return an error of the chooser
Result<report::HashedKernel> choose_hashes(const report::PatternsOfKernel& kernel, const scratchpad::Rules& rules,
                                           const search::Chooser& choose);

/// Bits of an instruction that holds the parameters of any hash of a class: those of the register of its hardware
/// (`bankshot hash CLASS`), or of any matrix, for words of 14 address bits; 0 if the class has no such hardware.
unsigned bits_of_parameters(const std::string& hash_class, unsigned banks);

}  // namespace bankshot::regions
