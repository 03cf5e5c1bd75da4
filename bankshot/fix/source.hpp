// What to write into the source for an array that is hashed or padded.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "bankshot/fix/declaration.hpp"
#include "bankshot/fix/plan.hpp"
#include "bankshot/rewrite/rewrite.hpp"

namespace bankshot::fix {

/// An array as its accesses show it.
struct SourceArray {
  std::string name;           ///< in the source
  uint64_t bytes = 0;         ///< 0: dynamic shared memory
  std::set<unsigned> widths;  ///< bytes a lane of its accesses: its elements are of one of these sizes
  std::string lines;          ///< of its accesses, for people
  std::optional<Declaration> declaration = {};  ///< then its elements are what that says
};

/// How a move of an array is written in the source.
struct Recipe {
  std::string refusal;       ///< why it cannot be, a sentence; else empty, and the rest holds
  uint64_t bytes = 0;        ///< that the array is to have; of a dynamic one 0
  uint64_t row = 0;          ///< bytes; of a dynamic array that is hashed, the size is to be a multiple of it
  unsigned alignment = 0;    ///< bytes that the array's start is to be aligned to; 0: it may stay as it is
  uint64_t longer_rows = 0;  ///< elements more in the last dimension: that is all, and indices stay as they are
  std::string element;       ///< a type to declare it with, whose member `element` is what it has now; else empty
  std::string functions;     ///< C++ of CUDA; with `element`, that type
  std::map<unsigned, std::string> place;  ///< the function that an index goes through, by the bytes of an element

  bool operator==(const Recipe&) const = default;
};

/// The name in the source of a function's static variable: the last part of a mangled name.
std::string source_name(const std::string& name);

SourceArray source_array(const ArrayPlan& array);

/// @param move  a linear hash that is in place, or padding  @param word_bytes  of a bank: 4 or 8
/// @param suffix  of the functions' names
Recipe recipe(const SourceArray& array, const rewrite::Move& move, unsigned word_bytes, const std::string& suffix);

/// Whether all arrays of a kernel that a remedy moves have declarations that can be changed for it.
bool can_be_written(const KernelPlan& kernel, Remedy remedy, unsigned word_bytes);

/// "static_assert(sizeof(Pair) == 8);", which holds behind the declaration; empty for built-in types.
std::string size_check(const Declaration& declaration);

/// C++ to paste, with comments on where it goes; where there is none, a comment that says why.
std::string source_text(const SourceArray& array, const rewrite::Move& move, unsigned word_bytes);

}  // namespace bankshot::fix
