#include "bankshot/compare/alignment.hpp"

#include <algorithm>

namespace bankshot::compare {
namespace {

constexpr size_t kMostCells = 400'000'000;  // one bit each

}  // namespace

std::vector<std::pair<size_t, size_t>> aligned(std::span<const uint32_t> before, std::span<const uint32_t> after) {
  std::vector<std::pair<size_t, size_t>> pairs;
  const size_t shorter = std::min(before.size(), after.size());
  size_t head = 0, tail = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;
  for (size_t k = 0; k < head; ++k) pairs.emplace_back(k, k);

  const size_t rows = before.size() - head - tail, columns = after.size() - head - tail;
  if (rows != 0 && columns != 0 && rows <= kMostCells / columns) {
    // length[j]: of the longest common subsequence of before[i…] and after[j…], from the last i to the first.
    std::vector<uint32_t> length(columns + 1, 0);
    std::vector<bool> skips_before(rows * columns);  // going on with i + 1 loses nothing
    for (size_t i = rows; i-- > 0;) {
      uint32_t diagonal = 0;  // of i + 1 and j + 1
      for (size_t j = columns; j-- > 0;) {
        const uint32_t below = length[j];
        skips_before[i * columns + j] = below >= length[j + 1];
        length[j] = before[head + i] == after[head + j] ? diagonal + 1 : std::max(below, length[j + 1]);
        diagonal = below;
      }
    }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (before[head + i] == after[head + j]) {
        pairs.emplace_back(head + i++, head + j++);
      } else {
        ++(skips_before[i * columns + j] ? i : j);
      }
    }
  }
  for (size_t k = tail; k-- > 0;) pairs.emplace_back(before.size() - 1 - k, after.size() - 1 - k);
  return pairs;
}

}  // namespace bankshot::compare
