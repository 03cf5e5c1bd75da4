// One layer of a neural network: the weighted sums of its inputs, by 16x16 tiles of weights whose products are added up
// a tree over the rows; then the weights after one step of gradient descent with momentum. A warp holds two rows of a
// tile, and every access is to whole rows, so that there are no conflicts.
//   back_propagation [inputs, a multiple of 16: 512] [units, a multiple of 16: 32]
#include "../check.hpp"

constexpr int tile_side = 16;
constexpr float rate = 0.5f, momentum = 0.25f;  // with whole inputs, every result is exact

/// The share of 16 inputs in the sums of 16 units.
/// @param partial  [inputs / 16][units]
__global__ void back_propagation_forward(const float* input, const float* weight, float* partial, int units) {
  __shared__ float inputs[tile_side];
  __shared__ float product[tile_side][tile_side];
  const int column = threadIdx.x, row = threadIdx.y;
  const int unit = blockIdx.x * tile_side + column, source = blockIdx.y * tile_side + row;
  if (column == 0) inputs[row] = input[source];
  __syncthreads();
  product[row][column] = weight[source * units + unit];
  __syncthreads();
  product[row][column] *= inputs[row];
  for (int half = 1; half < tile_side; half *= 2) {
    __syncthreads();
    if (row % (2 * half) == 0) product[row][column] += product[row + half][column];
  }
  __syncthreads();
  if (row == 0) partial[blockIdx.y * units + unit] = product[0][column];
}

/// One step of gradient descent; change is the step taken, and before the call the one before it.
__global__ void back_propagation_adjust(const float* input, const float* delta, float* weight, float* change, int units,
                                        int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float step = rate * delta[i % units] * input[i / units] + momentum * change[i];
  weight[i] += step;
  change[i] = step;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int inputs = arguments.number(0, 512), units = arguments.number(1, 32);
  if (inputs % tile_side || units % tile_side) {
    std::fprintf(stderr, "inputs and units must be multiples of %d\n", tile_side);
    return 2;
  }
  const int tiles = inputs / tile_side, count = inputs * units;
  std::vector<float> input(inputs), delta(units), weight(count), change(count);
  Random random;
  auto fill = [&random](std::vector<float>& values) {
    for (float& value : values) value = static_cast<float>(random.below(9)) - 4;
  };
  fill(input), fill(delta), fill(weight), fill(change);

  DeviceArray<float> device_input(input), device_delta(delta), device_weight(weight), device_change(change);
  DeviceArray<float> device_partial(size_t(tiles) * units);
  back_propagation_forward<<<dim3(units / tile_side, tiles), dim3(tile_side, tile_side)>>>(
      device_input.get(), device_weight.get(), device_partial.get(), units);
  finish_kernel();
  back_propagation_adjust<<<(count + 255) / 256, 256>>>(device_input.get(), device_delta.get(), device_weight.get(),
                                                        device_change.get(), units, count);
  finish_kernel();

  std::vector<float> measured(units), expected(units);
  const std::vector<float> partial = device_partial.to_host();
  for (int i = 0; i < tiles * units; ++i) measured[i % units] += partial[i];
  for (int i = 0; i < count; ++i) {
    expected[i % units] += weight[i] * input[i / units];
    change[i] = rate * delta[i % units] * input[i / units] + momentum * change[i];
    weight[i] += change[i];
  }
  for (const auto& results : {device_weight.to_host(), device_change.to_host()})
    measured.insert(measured.end(), results.begin(), results.end());
  for (const auto& results : {weight, change}) expected.insert(expected.end(), results.begin(), results.end());
  return verdict("back_propagation", measured, expected);
}
