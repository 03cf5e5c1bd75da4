#include "bankshot/scratchpad/patterns/region.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::scratchpad {

void add(WordRanges& to, WordRange range) {
  if (range.begin >= range.end) return;
  WordRanges all;
  for (const WordRange& one : to) {
    if (one.end < range.begin || one.begin > range.end) {
      all.push_back(one);
    } else {
      range = {std::min(range.begin, one.begin), std::max(range.end, one.end)};
    }
  }
  all.insert(std::ranges::find_if(all, [&](const WordRange& one) { return one.begin > range.begin; }), range);
  to = std::move(all);
}

void add(WordRanges& to, const WordRanges& ranges) {
  for (const WordRange& one : ranges) add(to, one);
}

bool share_block(const WordRanges& a, const WordRanges& b, uint32_t block) {
  return std::ranges::any_of(a, [&](const WordRange& x) {
    return std::ranges::any_of(b, [&](const WordRange& y) {
      return x.begin / block <= (y.end - 1) / block && y.begin / block <= (x.end - 1) / block;
    });
  });
}

bool contains(const WordRanges& ranges, uint32_t word) {
  return std::ranges::any_of(ranges, [&](const WordRange& one) { return word >= one.begin && word < one.end; });
}

uint32_t block_of(const Rules& rules, const BankHash& hash) {
  if (is_in_place(hash)) return row_words(rules);
  uint32_t bits = rules.banks - 1;
  for (const uint32_t row : hash.rows()) bits |= row;
  return (hash.linear() ? std::bit_ceil(bits + 1) : 1u << hash.address_bits) * (rules.bank_bytes / 4);
}

}  // namespace bankshot::scratchpad
