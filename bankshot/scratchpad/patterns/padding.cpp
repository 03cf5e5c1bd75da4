#include "bankshot/scratchpad/patterns/padding.hpp"

#include <algorithm>
#include <tuple>

namespace bankshot::scratchpad {

std::optional<Padding> best_padding(const Rules& rules, const PatternSet& patterns, uint64_t words,
                                    unsigned element_words, uint64_t declared_row,
                                    const std::function<bool(const Padding&)>& allowed) {
  unsigned unit = element_words;  // words that stay together
  for (const Pattern& pattern : patterns.patterns) unit = std::max(unit, pattern.width / 4);
  std::optional<Padding> best;
  for (uint32_t row = std::max(Padding::kShortestRow, unit); row <= 1024 && 2 * row <= words; row *= 2) {
    for (uint32_t added = unit; added <= std::max(8u, 2 * unit); added += unit) {
      Padding padding{row, added, 0, uint64_t{added} * 4 * ((words + row - 1) / row)};
      if (allowed && !allowed(padding)) continue;
      PatternSet padded = patterns;
      for (Pattern& pattern : padded.patterns) {
        for (uint32_t& word : pattern.words) word = padding.place(word);
      }
      const HashSize size = size_of(patterns);
      for (const Pattern& pattern : padded.patterns) {
        const Cost c = cost(rules, pattern, modulo_hash(size));
        padding.excess += pattern.weight * (c.wavefronts - c.ideal);
      }
      const auto order = [&](const Padding& p) { return std::tuple(p.excess, p.row != declared_row, p.extra_bytes); };
      if (!best || order(padding) < order(*best)) best = padding;
    }
  }
  return best;
}

}  // namespace bankshot::scratchpad
