// Loops of one basic block that ptxas can count: a register grows by a constant, and a comparison of it ends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/optimise/values.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

/// What an instruction of a loop is there for.
enum class Role : uint8_t {
  work,
  counts,           ///< the next value of a counter, of which addresses are made
  makes_addresses,  ///< of counters: what they grow by is a constant
};

struct CountedLoop {
  /// Statements of `block`: the label at its head, and the branch back to it.
  ptx::Block* block = nullptr;
  size_t label = 0, branch = 0;

  size_t test = 0;                 ///< instruction of the body: the comparison
  bool test_is_read_once = false;  ///< by the branch alone
  size_t counter_operand = 0;      ///< of the comparison: 1 or 2; the other one stays the same
  std::string counter;             ///< the register that has the counter at the head
  int64_t tested = 0;              ///< in the first iteration the comparison is of the counter plus this
  int64_t step = 0;                ///< what an iteration adds to it
  std::optional<uint64_t> count;   ///< iterations, if they are known

  std::vector<Role> roles;  ///< by instruction of the body
  /// Registers that may have another name in each iteration: all writes of them are certain, and they are not counters.
  std::map<std::string, ptx::Type> own;
  bool is_target = false;  ///< the label is named by others than the branch

  // What ptxas judges a loop by.
  /// Machine instructions of an iteration but for its counters and the branch; loads, stores and barriers count twice,
  /// atomics ten times.
  unsigned cost = 0;
  unsigned shared_loads = 0;
  bool has_global_loads = false;
  bool has_branches = false;  ///< in the machine code: stores of some lanes, divisions of integers
};

/// @param code  of the function; the loops point into its blocks
/// @param slots     slots_one_by_one
/// @param accesses  by step: loads and stores that stand there when those of an iteration have been joined
std::vector<CountedLoop> counted_loops(ptx::Function& function, const ptx::KernelCode& code, const Control& control,
                                       const std::vector<uint8_t>& slots, const std::vector<uint8_t>& accesses);

}  // namespace bankshot::optimise
