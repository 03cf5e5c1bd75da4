// Which accesses of shared memory ptxas makes one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/optimise/memory_order.hpp"
#include "bankshot/optimise/optimise.hpp"
#include "bankshot/optimise/values.hpp"
#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

/// One element that a load reads or a store writes: of a scalar access the access itself.
struct Element {
  size_t step = 0;
  size_t index = 0;  ///< in the vector of the access
  Linear address;
};

/// An access of machine code in place of elements of the text.
struct Piece {
  size_t at = 0;                  ///< the step where it stands: one of its elements' or of their group's first
  int64_t start = 0;              ///< bytes from the base of the addresses
  unsigned bytes = 4;             ///< of an element
  unsigned slots = 1;             ///< elements: 1, 2 or 4
  std::vector<Element> elements;  ///< in the order of the text
};

/// What becomes of the accesses of one function.
struct JoinPlan {
  std::vector<char> removed;  ///< by step: another access does its work, or it is unused
  std::vector<Piece> loads, stores;
  struct Forward {
    Element load;
    Element store;
  };
  std::vector<Forward> forwards;  ///< loads of what a store has just written
};

/// @param seen  as Options::seen
JoinPlan plan_joins(const ptx::KernelCode& code, const Control& control, const Values& values,
                    const SeenAccesses* seen);

/// The operand with the address of an access, and the element of its data.
const ptx::Operand& address_operand(const ptx::Instruction& instruction);
const ptx::Operand& data_operand(const ptx::Instruction& instruction, size_t index);

}  // namespace bankshot::optimise
