#include "bankshot/simt/matrices/sparse_selection.hpp"

namespace bankshot::simt {

unsigned SparseSelection::selectors() const { return (bits >= 16 ? 4 : 2) / lanes(); }

int SparseSelection::selected(const uint32_t* metadata, unsigned row, unsigned c) const {
  const unsigned quad = kCoreGroups * (row % kCoreLines), half = row / kCoreLines;
  const unsigned together = elements_of_choice(), choice = c / together;
  const unsigned group = selector * lanes() + choice / choices_of_lane(), at = choice % choices_of_lane();
  if (bits >= 32) {
    const uint32_t nibble = metadata[quad + group] >> (16 * half + 4 * at) & 15;
    return (nibble & 4) != 0 ? static_cast<int>(2 * c + (nibble >> 3)) : -1;
  }
  const uint32_t word = bits == 16 ? metadata[quad + group] >> 16 * half : metadata[quad + 2 * group + half];
  const unsigned chosen = 4 * (choice / 2) + (word >> 2 * at & 3);
  return static_cast<int>(together * chosen + c % together);
}

}  // namespace bankshot::simt
