// Lists in the order of a key.
#pragma once

#include <algorithm>
#include <vector>

namespace bankshot::simt {

/// Merges what has the same key, by merge() of the elements, and inserts the rest. @param key  member that orders both
template <class T, class Key>
void merge_by(Key T::* key, std::vector<T>& to, const std::vector<T>& from) {
  for (const T& one : from) {
    const auto at = std::ranges::lower_bound(to, one.*key, {}, key);
    if (at != to.end() && (*at).*key == one.*key) {
      at->merge(one);
    } else {
      to.insert(at, one);
    }
  }
}

}  // namespace bankshot::simt
