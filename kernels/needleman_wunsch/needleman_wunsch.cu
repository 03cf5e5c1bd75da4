// Global alignment of two sequences: the table of best scores, by 16x16 tiles. A tile needs those above and to the left
// of it, so that a launch does one anti-diagonal of tiles, and within a tile 16 threads do one anti-diagonal of cells
// at a time. Side by side on an anti-diagonal is 16 words apart in the tile of scores (rows of 17) and 15 in that of
// similarities (rows of 16): the former meet in two banks.
//   needleman_wunsch [letters of each sequence, a multiple of 16: 128]
#include "../check.hpp"

constexpr int tile_side = 16, gap = 10, letters = 24;

using Similarities = int[tile_side][tile_side];
using Scores = int[tile_side + 1][tile_side + 1];

__host__ __device__ inline int best_of(int diagonal, int left, int above) {
  const int best = left > above ? left - gap : above - gap;
  return diagonal > best ? diagonal : best;
}

__device__ inline void score_cell(const Similarities& similarity, Scores& score, int x, int y) {
  score[y][x] = best_of(score[y - 1][x - 1] + similarity[y - 1][x - 1], score[y][x - 1], score[y - 1][x]);
}

/// Scores one tile with 16 threads.
/// @param scores        [rows][pitch], row 0 and column 0 known
/// @param similarities  as scores, of the letters of row and column; row 0 and column 0 unused
__device__ inline void score_tile(Similarities& similarity, Scores& score, const int* similarities, int* scores,
                                  int pitch, int tile_x, int tile_y) {
  const int thread = threadIdx.x;
  const int corner = tile_y * tile_side * pitch + tile_x * tile_side;  // the cell before the tile's first
  if (thread == 0) score[0][0] = scores[corner];
  for (int row = 0; row < tile_side; ++row)
    similarity[row][thread] = similarities[corner + (row + 1) * pitch + thread + 1];
  score[thread + 1][0] = scores[corner + (thread + 1) * pitch];
  score[0][thread + 1] = scores[corner + thread + 1];
  for (int last = 0; last < tile_side; ++last) {
    __syncthreads();
    if (thread <= last) score_cell(similarity, score, thread + 1, last - thread + 1);
  }
  for (int last = tile_side - 2; last >= 0; --last) {
    __syncthreads();
    if (thread <= last) score_cell(similarity, score, thread + tile_side - last, tile_side - thread);
  }
  __syncthreads();
  for (int row = 0; row < tile_side; ++row)
    scores[corner + (row + 1) * pitch + thread + 1] = score[row + 1][thread + 1];
}

/// The anti-diagonals of tiles from the upper left corner to the longest one, which has gridDim.x tiles.
__global__ void nw_1_upper_left(const int* similarities, int* scores, int pitch) {
  __shared__ Similarities similarity;
  __shared__ Scores score;
  score_tile(similarity, score, similarities, scores, pitch, blockIdx.x, gridDim.x - 1 - blockIdx.x);
}

/// Those after it, to the lower right corner.
__global__ void nw_2_lower_right(const int* similarities, int* scores, int pitch, int tiles) {
  __shared__ Similarities similarity;
  __shared__ Scores score;
  score_tile(similarity, score, similarities, scores, pitch, tiles - gridDim.x + blockIdx.x, tiles - 1 - blockIdx.x);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int length = arguments.number(0, 128);
  if (length % tile_side) {
    std::fprintf(stderr, "the length must be a multiple of %d\n", tile_side);
    return 2;
  }
  const int pitch = length + 1, tiles = length / tile_side;
  Random random;
  int likeness[letters][letters];
  for (auto& row : likeness)
    for (int& value : row) value = static_cast<int>(random.below(20)) - 8;
  std::vector<uint32_t> across(pitch), down(pitch);
  for (uint32_t& letter : across) letter = random.below(letters);
  for (uint32_t& letter : down) letter = random.below(letters);
  std::vector<int> similarities(size_t(pitch) * pitch), expected(similarities.size());
  for (int y = 0; y < pitch; ++y)
    for (int x = 0; x < pitch; ++x) similarities[size_t(y) * pitch + x] = likeness[down[y]][across[x]];
  for (int i = 0; i < pitch; ++i) expected[i] = expected[size_t(i) * pitch] = -gap * i;

  DeviceArray<int> device_similarities(similarities), scores(expected);
  for (int count = 1; count <= tiles; ++count)
    nw_1_upper_left<<<count, tile_side>>>(device_similarities.get(), scores.get(), pitch);
  for (int count = tiles - 1; count > 0; --count)
    nw_2_lower_right<<<count, tile_side>>>(device_similarities.get(), scores.get(), pitch, tiles);
  finish_kernel();

  for (int y = 1; y < pitch; ++y)
    for (int x = 1; x < pitch; ++x) {
      const size_t cell = size_t(y) * pitch + x;
      expected[cell] =
          best_of(expected[cell - pitch - 1] + similarities[cell], expected[cell - 1], expected[cell - pitch]);
    }
  return verdict("needleman_wunsch", scores.to_host(), expected);
}
