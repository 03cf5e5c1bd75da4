// What the bank hash of a point costs in hardware.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "bankshot/circuit/synthesis.hpp"
#include "bankshot/support/result.hpp"
#include "bankshot/sweep/plan/plan.hpp"

namespace bankshot::sweep {

/// Area of bank hashes by Debian's yosys, each computed once.
class HashHardware {
 public:
  /// Smallest area, in NAND gates of two inputs, of what turns the address of one lane into a bank: for a fixed hash
  /// that hash alone; for one of a class with parameters hardware that can be set to any of the class, and its
  /// register.
  /// @param spec  of a hash, as on the command line; "" and "none": 0
  /// @param banks  a power of two
  Result<double> gates(const std::string& spec, unsigned banks);
  /// The same of the machine of a point.
  Result<double> gates_of(const Plan& plan, size_t row);

 private:
  std::optional<circuit::Tools> tools_;
  double nand2_um2_ = 0;
  std::map<std::pair<std::string, unsigned>, double> known_;
};

}  // namespace bankshot::sweep
