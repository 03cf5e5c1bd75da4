// The longest common subsequence of two lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bankshot::compare {

/// Places of equal items, ascending in both lists, as many as there can be; of several choices the items that
/// come first in `after`. Lists whose different middle parts are both long, 20,000 items and more, are aligned only at
/// their beginnings and ends.
std::vector<std::pair<size_t, size_t>> aligned(std::span<const uint32_t> before, std::span<const uint32_t> after);

}  // namespace bankshot::compare
