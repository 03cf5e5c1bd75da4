// What fix advises, written into a copy of the source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/fix/line_edit.hpp"
#include "bankshot/fix/source.hpp"

namespace bankshot::fix {

/// An array that is to change. Its declaration is known.
struct SourceChange {
  SourceArray array;
  rewrite::Move move;
  uint64_t unit = 0;  ///< of a dynamic array: bytes that the sizes of its launches are multiples of
};

/// Writes changes of arrays that are declared in one source. Declarations grow, indices go through functions that are
/// put above the function of the declaration, unless longer rows or elements are all there is to it. A dynamic array is
/// hashed where the sizes of its launches are whole rows.
struct ChangedText {
  std::string text;                   ///< the source with the changes that can be made
  std::vector<LineEdit> edits;        ///< the same as edits of the source, from its beginning to its end
  std::vector<std::string> refusals;  ///< by change: which use of the array cannot be rewritten; empty: it was made
};
ChangedText change_source(std::string_view source, const std::vector<SourceChange>& changes, unsigned word_bytes);

}  // namespace bankshot::fix
