// The operations whose latency and throughput are measured, as PTX.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bankshot::accuracy {

/// Statements that make a chain: '$' is the register that they read and write, '@' another one of the chain, with which
/// it changes places from step to step, so that no compiler sees through the chain: ptxas folds one of `and`, of `xor`
/// or of `cnot` alone. Constants are %x, %y (32 bits) and
/// %u, %v (64 bits), predicates %p0 to %p3.
struct Operation {
  std::string_view name;        ///< of the PTX instruction, or of what they are together
  unsigned bits = 32;           ///< of '$': 16, 32 or 64
  std::string_view statements;  ///< each ends with a semicolon
  unsigned instructions = 1;    ///< machine instructions that throughputs count for them
  unsigned target = 70;
};

const Operation* find_operation(std::string_view name);

}  // namespace bankshot::accuracy
