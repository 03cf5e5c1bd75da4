// Comparing a word with several.
#pragma once

#include <string_view>

namespace bankshot::optimise {

template <class... Words>
bool is_one_of(std::string_view word, const Words&... words) {
  return ((word == words) || ...);
}

}  // namespace bankshot::optimise
