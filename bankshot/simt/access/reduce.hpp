// What reductions on the way to memory do to one element: red.async, cp.reduce.async.bulk, atom and red of vectors.
// Source: PTX ISA 9.0, sections of those instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bankshot/ptx/module.hpp"

namespace bankshot::simt {

enum class Reduction : uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor };
/// "add" …; none if it is none
Reduction reduction_named(std::string_view name);

/// Whether there is this reduction of elements of this type.
bool can_reduce(Reduction reduction, ptx::Type type);
/// Whether instructions name it so: operations on bits those of .b32 and .b64.
bool has_form(Reduction reduction, ptx::Type type);

/// target = target op value, for one element of the type; packed types are two elements. Floating-point sums are
/// rounded to nearest even; subnormal numbers of 32 bits are zeros, of 16 and 64 bits they are kept. Elements lie
/// anywhere.
void reduce(Reduction reduction, ptx::Type type, std::byte* target, const std::byte* value);

}  // namespace bankshot::simt
