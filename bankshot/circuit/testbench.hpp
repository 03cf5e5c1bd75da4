// A testbench that holds a design against the model: every address, and of a design that can be set many settings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/circuit/design.hpp"

namespace bankshot::circuit {

/// What the module has to do with one setting.
struct Expectation {
  std::vector<uint32_t> fields;  ///< values of the configuration register; none: nothing can be set
  uint64_t signature = 0;        ///< of the banks of all addresses, in order
};

/// A checksum of the banks of all 2^n addresses: s = s * 6364136223846793005 + bank + 1 modulo 2^64.
uint64_t signature(const scratchpad::BankHash& hash);

/// Random hashes of a class, as what its hardware must do with them.
/// @param count     how many; fewer if the class is smaller
/// @param progress  called from time to time with the number done and the total; may be empty
std::vector<Expectation> random_expectations(const scratchpad::HashClass& c, scratchpad::HashSize size, size_t count,
                                             uint64_t seed,
                                             const std::function<void(size_t done, size_t all)>& progress = {});
/// Of hardware that has nothing to set.
std::vector<Expectation> one_expectation(const scratchpad::BankHash& hash);

/// Verilog-2001 for a simulator. Its last line is "PASS" with what was compared, or "FAIL" with the number of settings
/// that differ, each of which is named before.
/// @param seed    of the settings, for its title
/// @param module  as of to_verilog
std::string testbench(const Design& design, const std::vector<Expectation>& expected, uint64_t seed,
                      std::string_view module = kModule);

}  // namespace bankshot::circuit
