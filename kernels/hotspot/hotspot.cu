// Heat in a chip over time: every cell is drawn to its four neighbours and to the air, and is heated by its own power.
// A CTA holds 16x16 cells in shared memory and takes two steps before it writes back the 12x12 in the middle, which
// nothing outside has reached. A warp is two rows, and neighbours are rows again: there are no conflicts.
//   hotspot [side: 64] [pairs of steps: 2]
#include "../check.hpp"

constexpr int tile_side = 16, steps_at_once = 2, inner_side = tile_side - 2 * steps_at_once;
constexpr float to_neighbour = 0.125f, to_air = 0.0625f, air = 80, heating = 0.5f;

__host__ __device__ inline float next_temperature(float cell, float north, float south, float west, float east,
                                                  float power) {
  return cell + to_neighbour * (north + south - 2 * cell) + to_neighbour * (west + east - 2 * cell) +
         to_air * (air - cell) + heating * power;
}

__global__ void hotspot(const float* temperature, const float* power, float* out, int side) {
  __shared__ float cell[tile_side][tile_side];
  __shared__ float heat[tile_side][tile_side];
  __shared__ float next[tile_side][tile_side];
  const int column = threadIdx.x, row = threadIdx.y;
  const int left = blockIdx.x * inner_side - steps_at_once, top = blockIdx.y * inner_side - steps_at_once;
  const int x = left + column, y = top + row;
  const bool inside = x >= 0 && x < side && y >= 0 && y < side;
  if (inside) {
    cell[row][column] = temperature[y * side + x];
    heat[row][column] = power[y * side + x];
  }
  __syncthreads();
  // Beyond the edge of the chip is the edge once more.
  const int north = y > 0 ? row - 1 : row, south = y < side - 1 ? row + 1 : row;
  const int west = x > 0 ? column - 1 : column, east = x < side - 1 ? column + 1 : column;
  for (int step = 1; step <= steps_at_once; ++step) {
    const bool known = inside && column >= step && column < tile_side - step && row >= step && row < tile_side - step;
    if (known)
      next[row][column] = next_temperature(cell[row][column], cell[north][column], cell[south][column], cell[row][west],
                                           cell[row][east], heat[row][column]);
    __syncthreads();
    if (known) cell[row][column] = next[row][column];
    __syncthreads();
  }
  if (inside && column >= steps_at_once && column < tile_side - steps_at_once && row >= steps_at_once &&
      row < tile_side - steps_at_once)
    out[y * side + x] = cell[row][column];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int side = arguments.number(0, 64), pairs = arguments.number(1, 2);
  std::vector<float> temperature(size_t(side) * side), power(temperature.size());
  Random random;
  for (float& value : temperature) value = 320 + static_cast<float>(random.below(64)) / 4;
  for (float& value : power) value = static_cast<float>(random.below(16)) / 8;
  const int grid_side = (side + inner_side - 1) / inner_side;
  DeviceArray<float> even(temperature), odd(temperature.size()), device_power(power);
  for (int pair = 0; pair < pairs; ++pair) {
    hotspot<<<dim3(grid_side, grid_side), dim3(tile_side, tile_side)>>>(
        (pair % 2 ? odd : even).get(), device_power.get(), (pair % 2 ? even : odd).get(), side);
    finish_kernel();
  }

  std::vector<float> expected = temperature;
  for (int step = 0; step < pairs * steps_at_once; ++step) {
    const std::vector<float> now = expected;
    auto at = [&](int y, int x) { return now[size_t(y) * side + x]; };
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        expected[size_t(y) * side + x] =
            next_temperature(at(y, x), at(y > 0 ? y - 1 : y, x), at(y < side - 1 ? y + 1 : y, x),
                             at(y, x > 0 ? x - 1 : x), at(y, x < side - 1 ? x + 1 : x), power[size_t(y) * side + x]);
  }
  return verdict("hotspot", (pairs % 2 ? odd : even).to_host(), expected, 1e-5);
}
