#include "bankshot/scratchpad/hash/gf2.hpp"

#include <algorithm>
#include <functional>

namespace bankshot::scratchpad {

std::vector<uint32_t> reduced(std::span<const uint32_t> rows) {
  std::vector<uint32_t> basis;  // every pivot occurs in its own row only
  for (uint32_t row : rows) {
    row = residue(row, basis);
    if (row == 0) continue;
    const uint32_t pivot = std::bit_floor(row);
    for (uint32_t& other : basis) {
      if ((other & pivot) != 0) other ^= row;
    }
    basis.push_back(row);
  }
  std::sort(basis.begin(), basis.end(), std::greater<>());
  return basis;
}

std::vector<uint32_t> reduced_from_below(std::span<const uint32_t> rows) {
  const auto lowest = [](uint32_t x) { return x & (0 - x); };
  std::vector<uint32_t> full = reduced(rows);
  for (size_t done = 0; done < full.size(); ++done) {
    const auto next = std::min_element(full.begin() + static_cast<ptrdiff_t>(done), full.end(),
                                       [&](uint32_t a, uint32_t b) { return lowest(a) < lowest(b); });
    std::iter_swap(full.begin() + static_cast<ptrdiff_t>(done), next);
    const uint32_t pivot = lowest(full[done]);
    for (size_t k = 0; k < full.size(); ++k) {
      if (k != done && (full[k] & pivot) != 0) full[k] ^= full[done];
    }
  }
  return full;
}

unsigned rank(std::span<const uint32_t> rows) { return static_cast<unsigned>(reduced(rows).size()); }

std::vector<uint32_t> null_space(std::span<const uint32_t> rows, unsigned columns) {
  const std::vector<uint32_t> basis = reduced(rows);
  uint32_t pivots = 0;
  for (uint32_t row : basis) pivots |= std::bit_floor(row);
  std::vector<uint32_t> result;
  for (unsigned column = 0; column < columns; ++column) {
    const uint32_t free = uint32_t{1} << column;
    if ((pivots & free) != 0) continue;
    uint32_t x = free;
    for (uint32_t row : basis) {
      if ((row & free) != 0) x |= std::bit_floor(row);
    }
    result.push_back(x);
  }
  return result;
}

uint32_t residue(uint32_t x, std::span<const uint32_t> reduced_basis) {
  for (uint32_t row : reduced_basis) {
    if ((x & std::bit_floor(row)) != 0) x ^= row;
  }
  return x;
}

}  // namespace bankshot::scratchpad
