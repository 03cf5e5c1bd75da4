// What to paste into the source for an array that is hashed or padded.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "bankshot/fix/declaration.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"

namespace bankshot::fix {

/// An array as its accesses show it.
struct SourceArray {
  std::string name;           ///< in the source
  uint64_t bytes = 0;         ///< 0: dynamic shared memory
  std::set<unsigned> widths;  ///< bytes a lane of its accesses: its elements are of one of these sizes
  std::string lines;          ///< of its accesses, for people
  std::optional<Declaration> declaration = {};  ///< then its elements are what that says
};

/// The name in the source of a function's static variable: the last part of a mangled name.
std::string source_name(const std::string& name);

/// C++ of CUDA: functions, and comments on where they are used and how large the array must be. Where the elements are
/// such that they cannot be moved whole, a comment that says so.
/// @param hash  linear and in place  @param word_bytes  of a bank: 4 or 8
std::string hash_source(const SourceArray& array, const scratchpad::BankHash& hash, unsigned word_bytes);
std::string padding_source(const SourceArray& array, const scratchpad::Padding& padding, unsigned word_bytes);

}  // namespace bankshot::fix
