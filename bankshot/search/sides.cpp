#include "bankshot/search/sides.hpp"

namespace bankshot::search {

Sides::Sides(std::span<const scratchpad::Group> all) : groups(all.size()) {
  size_t side = kSide;  // groups in the last side
  for (size_t k = 0; k < all.size(); ++k) {
    const scratchpad::Group& group = all[k];
    if (group.words.size() > 32) {
      large.push_back({group.weight, group.words, k});
      continue;
    }
    if (side == kSide) {
      sides.push_back({});
      weights.resize(weights.size() + kSide, 0);
      index.resize(index.size() + kSide, 0);
      side = 0;
    }
    Side& to = sides.back();
    for (size_t word = 0; word < group.words.size(); ++word) {
      to.all[side] |= 1u << word;
      for (unsigned part = 0; part < kParts; ++part) {
        const uint32_t own = group.words[word] >> 4 * part & 15;
        for (unsigned bit = 0; bit < 4; ++bit) to.odd[part][1u << bit][side] |= (own >> bit & 1) << word;
      }
    }
    for (auto& part : to.odd) {
      for (uint32_t row = 1; row < 16; ++row)
        part[row][side] = part[row & (row - 1)][side] ^ part[row & ~(row - 1)][side];
    }
    weights[weights.size() - kSide + side] = group.weight;
    index[index.size() - kSide + side] = k;
    ++side;
  }
}

}  // namespace bankshot::search
