// The integer instructions that compute addresses: what each does to one lane.
#pragma once

#include <optional>

#include "bankshot/analysis/value.hpp"
#include "bankshot/ptx/module.hpp"

namespace bankshot::analysis {

/// Types and modifiers of one instruction, as far as they change what it computes.
struct Shape {
  unsigned bits = 32;  ///< of the type, which is that of the sources
  bool is_signed = false;
  unsigned result = 32;  ///< bits of the result: 64 for mul.wide.u32, the first type of cvt
  bool result_signed = false;
  enum class Half : uint8_t { lo, hi, wide } half = Half::lo;
  bool wraps = false;  ///< shf.wrap; clamps otherwise
  bool right = false;  ///< shf.r
  enum class Compare : uint8_t { eq, ne, lt, le, gt, ge } compare = Compare::eq;
  bool compares_unsigned = false;  ///< lo, ls, hi, hs
  enum class Combine : uint8_t { none, conjunction, disjunction, parity } combine = Combine::none;
};

struct Operation {
  std::string_view name;  ///< opcode
  unsigned sources;       ///< how many it takes; setp may take one more
  /// The value for one lane, in shape.result bits; nothing if it cannot be told.
  std::optional<Value> (*run)(Forms& forms, const Shape& shape, const Value* in);
};

/// The operation of an instruction and its shape; null for anything that is not integer arithmetic of this table.
const Operation* operation_of(const ptx::Instruction& instruction, Shape& shape);

}  // namespace bankshot::analysis
