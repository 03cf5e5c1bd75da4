// Counts the wavefronts of a warp that reads a column of a tile in shared memory, with rows of 32 words and of 33.
#include <bankshot/bankshot.hpp>
#include <cstdio>

int main() {
  const bankshot::Banks h100("h100");
  for (const unsigned row_words : {32u, 33u}) {
    bankshot::Access column;
    for (unsigned lane = 0; lane < 32; ++lane) column.addresses.push_back(4 * row_words * lane);
    const bankshot::Cost cost = h100.cost(column);
    std::printf("rows of %u words: %u wavefronts, %u of them conflicts\n", row_words, cost.wavefronts,
                cost.conflicts());
  }
}
// Prints:
// rows of 32 words: 32 wavefronts, 31 of them conflicts
// rows of 33 words: 1 wavefronts, 0 of them conflicts
