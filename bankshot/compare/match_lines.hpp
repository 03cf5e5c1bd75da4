// Which lines of a kernel are the same after an edit.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bankshot/compare/partners.hpp"
#include "bankshot/compare/snapshot.hpp"

namespace bankshot::compare {

/// Pairs of indices: every line of both is in one pair; kNone where it has no partner. By the order of `after`, then
/// those that are gone.
///
/// 1. Files belong together if their paths are equal; else if they have the longest common end, at least the name; else
///    if they are the only ones left.
/// 2. In such files, the lines with equal text are aligned as by `diff`. Where a text is missing, instructions are
///    compared in place of texts.
/// 3. A line that is left has moved if its text is left once before and once after.
/// 4. Between aligned lines, those that are left are aligned by their instructions; then, if equally many are left
///    before and after, they belong together in their order.
std::vector<std::pair<size_t, size_t>> match_lines(const std::vector<Line>& before, const std::vector<Line>& after);

/// Components that the ends of two paths have in common: 2 of "a/src/k.cu" and "/b/src/k.cu".
size_t common_end(std::string_view a, std::string_view b);

}  // namespace bankshot::compare
