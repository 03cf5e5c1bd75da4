// Gridding of magnetic resonance samples: scattered samples are spread over the points of a grid. Samples are sorted by
// the cell they lie in (radix sort, 4 bits a pass), the samples of each cell are counted, and an exclusive scan of the
// counts says where each cell's samples start; then each grid point gathers the samples near it. The scan goes up and
// down trees in shared memory without padding, with strides of powers of two; the sort has threads own four neighbours.
//   mri_gridding [samples: 3000] [cells along x: 22] [along y: 22] [along z: 22]
#include <utility>

#include "../check.hpp"

// ---- exclusive scan of up to 128 times 1,024 counts ----

constexpr int scan_threads = 512, scan_elements = 2 * scan_threads;
constexpr int sums_threads = 64, most_sums = 2 * sums_threads;  // one CTA scans the sums of the others

// Nodes are volatile, so that what is written as an access is one: a compiler of today would notice that the second
// read of node[right] gives what the first one gave, and the paper counts it (194 loads a CTA, section 2).

/// One level up the tree: the root of each subtree becomes its sum.
__device__ inline void add_up(volatile uint32_t* node, int stride) {
  const int left = 2 * stride * threadIdx.x + stride - 1;
  node[left + stride] += node[left];
}

/// One level down: each root hands what lies before its subtree to both of its halves.
__device__ inline void hand_down(volatile uint32_t* node, int stride) {
  const int left = 2 * stride * threadIdx.x + stride - 1, right = left + stride;
  const uint32_t sum = node[left];
  node[left] = node[right];
  node[right] += sum;
}

/// Scans each 1,024 counts by themselves; the sum of those of CTA i goes to block_sums[i].
__global__ void mri_grid_1_scan(uint32_t* count, int n, uint32_t* block_sums) {
  __shared__ uint32_t node[scan_elements];
  const int thread = threadIdx.x, low = blockIdx.x * scan_elements + thread, high = low + scan_threads;
  node[thread] = low < n ? count[low] : 0;
  node[thread + scan_threads] = high < n ? count[high] : 0;
  int stride = 1;
  for (int active = scan_threads; active > 0; active /= 2, stride *= 2) {
    __syncthreads();
    if (thread < active) add_up(node, stride);
  }
  if (thread == 0) {
    block_sums[blockIdx.x] = node[scan_elements - 1];
    node[scan_elements - 1] = 0;
  }
  for (int active = 1; active <= scan_threads; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (thread < active) hand_down(node, stride);
  }
  __syncthreads();
  if (low < n) count[low] = node[thread];
  if (high < n) count[high] = node[thread + scan_threads];
}

/// Up the tree over 128 sums; the way down is a launch of its own.
__global__ void mri_grid_2_up_sweep(uint32_t* sums) {
  __shared__ uint32_t node[most_sums];
  const int thread = threadIdx.x;
  node[2 * thread] = sums[2 * thread];
  node[2 * thread + 1] = sums[2 * thread + 1];
  int stride = 1;
  for (int active = sums_threads; active > 0; active /= 2, stride *= 2) {
    __syncthreads();
    if (thread < active) add_up(node, stride);
  }
  __syncthreads();
  sums[2 * thread] = node[2 * thread];
  sums[2 * thread + 1] = node[2 * thread + 1];
}

/// Down the tree over 128 sums, whose root has been set to 0.
__global__ void mri_grid_3_down_sweep(uint32_t* sums) {
  __shared__ uint32_t node[most_sums];
  const int thread = threadIdx.x;
  node[2 * thread] = sums[2 * thread];
  node[2 * thread + 1] = sums[2 * thread + 1];
  int stride = most_sums;
  for (int active = 1; active <= sums_threads; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (thread < active) hand_down(node, stride);
  }
  __syncthreads();
  sums[2 * thread] = node[2 * thread];
  sums[2 * thread + 1] = node[2 * thread + 1];
}

__global__ void mri_add_sums(uint32_t* count, int n, const uint32_t* sums) {
  for (int i = threadIdx.x; i < scan_elements; i += scan_threads) {
    const int index = blockIdx.x * scan_elements + i;
    if (index < n) count[index] += sums[blockIdx.x];
  }
}

/// Replaces n counts on the device by the sum of those before each.
void exclusive_scan(uint32_t* count, int n) {
  const int grid = (n + scan_elements - 1) / scan_elements;
  DeviceArray<uint32_t> sums(most_sums);
  sums.fill_zero();
  mri_grid_1_scan<<<grid, scan_threads>>>(count, n, sums.get());
  mri_grid_2_up_sweep<<<1, sums_threads>>>(sums.get());
  CUDA_CHECK(cudaMemset(sums.get() + most_sums - 1, 0, sizeof(uint32_t)));
  mri_grid_3_down_sweep<<<1, sums_threads>>>(sums.get());
  mri_add_sums<<<grid, scan_threads>>>(count, n, sums.get());
  finish_kernel();
}

// ---- radix sort: in each pass, CTAs sort 1,024 keys each by one digit, then send them to their places ----

constexpr int sort_threads = 256, sort_keys = 4 * sort_threads, digit_bits = 4, digits = 1 << digit_bits;
constexpr uint32_t beyond = UINT32_MAX;  // a key after the last one

struct Four {
  uint32_t key[4], value[4];  // of four neighbours
};

__device__ inline uint32_t digit_of(uint32_t key, int shift) { return (key >> shift) % digits; }

/// Sorts each 1,024 keys by one digit, bit by bit, and counts its digits.
/// @param digit_count  [digits][gridDim.x]
__global__ void mri_sort_split(uint32_t* keys, uint32_t* values, uint32_t* digit_count, int shift) {
  __shared__ uint32_t zeros[sort_threads];
  __shared__ uint32_t key[sort_keys];
  __shared__ uint32_t value[sort_keys];
  __shared__ uint32_t found[digits];
  const int thread = threadIdx.x, first = blockIdx.x * sort_keys + 4 * thread;
  if (thread < digits) found[thread] = 0;
  Four mine;
  for (int i = 0; i < 4; ++i) {
    mine.key[i] = keys[first + i];
    mine.value[i] = values[first + i];
  }
  for (int bit = shift; bit < shift + digit_bits; ++bit) {
    uint32_t own = 0;  // of my keys, those with a 0 here
    for (int i = 0; i < 4; ++i) own += ~mine.key[i] >> bit & 1;
    zeros[thread] = own;
    for (int reach = 1; reach < sort_threads; reach *= 2) {  // an inclusive scan, with unit strides
      __syncthreads();
      const uint32_t before = thread >= reach ? zeros[thread - reach] : 0;
      __syncthreads();
      zeros[thread] += before;
    }
    __syncthreads();
    uint32_t zero = zeros[thread] - own;                         // where my next key with a 0 goes
    uint32_t one = zeros[sort_threads - 1] + 4 * thread - zero;  // and with a 1
    for (int i = 0; i < 4; ++i) {
      const uint32_t place = mine.key[i] >> bit & 1 ? one++ : zero++;
      key[place] = mine.key[i];
      value[place] = mine.value[i];
    }
    __syncthreads();
    for (int i = 0; i < 4; ++i) {
      mine.key[i] = key[4 * thread + i];
      mine.value[i] = value[4 * thread + i];
    }
  }
  for (int i = 0; i < 4; ++i) {
    keys[first + i] = mine.key[i];
    values[first + i] = mine.value[i];
    atomicAdd(&found[digit_of(mine.key[i], shift)], 1u);
  }
  __syncthreads();
  if (thread < digits) digit_count[thread * gridDim.x + blockIdx.x] = found[thread];
}

/// Replaces counts by the sum of those before each, with one warp: they are few.
__global__ void mri_digit_starts(uint32_t* count, int n) {
  const int lane = threadIdx.x;
  uint32_t before = 0;
  for (int first = 0; first < n; first += 32) {
    const uint32_t own = first + lane < n ? count[first + lane] : 0;
    uint32_t sum = own;
    for (int reach = 1; reach < 32; reach *= 2) {
      const uint32_t other = __shfl_up_sync(~0u, sum, reach);
      if (lane >= reach) sum += other;
    }
    if (first + lane < n) count[first + lane] = before + sum - own;
    before += __shfl_sync(~0u, sum, 31);
  }
}

/// Sends the keys of each CTA, sorted by a digit, to their places among all.
/// @param digit_start  [digits][gridDim.x]: where the CTA's keys with a digit go
__global__ void mri_grid_4_rearrange(const uint32_t* keys, const uint32_t* values, const uint32_t* digit_start,
                                     uint32_t* keys_out, uint32_t* values_out, int shift) {
  __shared__ uint32_t start[digits];
  alignas(16) __shared__ uint32_t digit[sort_keys];
  const int thread = threadIdx.x, first = blockIdx.x * sort_keys + 4 * thread;
  if (thread < digits) start[thread] = digit_start[thread * gridDim.x + blockIdx.x];
  Four mine;
  uint32_t own[4];
  for (int i = 0; i < 4; ++i) {
    mine.key[i] = keys[first + i];
    mine.value[i] = values[first + i];
    own[i] = digit_of(mine.key[i], shift);
  }
  reinterpret_cast<uint4*>(digit)[thread] = uint4{own[0], own[1], own[2], own[3]};
  __syncthreads();
  uint32_t place = start[own[0]];
  for (int i = 4 * thread - 1; i >= 0 && digit[i] == own[0]; --i) ++place;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) place = own[i] == own[i - 1] ? place + 1 : start[own[i]];
    keys_out[place] = mine.key[i];
    values_out[place] = mine.value[i];
  }
}

// ---- gridding ----

struct Sample {
  float x, y, z;  // in cells
  float real, imaginary;
};
struct Point {
  float real, imaginary, density;
};
struct Grid {
  int x, y, z;
  __host__ __device__ int cells() const { return x * y * z; }
  __host__ __device__ int cell(int at_x, int at_y, int at_z) const { return (at_z * y + at_y) * x + at_x; }
};

/// What a sample adds to a point: less with distance along each axis, nothing from one cell on.
__host__ __device__ inline void spread(const Sample& sample, int x, int y, int z, Point& point) {
  auto near = [](float distance) { return distance < 0 ? 1 + distance : 1 - distance; };
  const float weight = near(sample.x - x) * near(sample.y - y) * near(sample.z - z);
  point.real += weight * sample.real;
  point.imaginary += weight * sample.imaginary;
  point.density += weight;
}

__global__ void mri_bin(const Sample* samples, int n, Grid grid, uint32_t* keys, uint32_t* values, uint32_t* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_sample = i < n;
  uint32_t key = beyond;
  if (is_sample) {
    key = grid.cell(static_cast<int>(samples[i].x), static_cast<int>(samples[i].y), static_cast<int>(samples[i].z));
    atomicAdd(&count[key], 1u);
  }
  keys[i] = key;
  values[i] = i;
}

/// Each point gathers from the samples of the 8 cells that meet there.
/// @param order  indices of samples, sorted by cell
/// @param start  where the samples of each cell start; one more cell at the end
__global__ void mri_gridding(const Sample* samples, const uint32_t* order, const uint32_t* start, Grid grid,
                             Point* points) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= grid.cells()) return;
  const int x = cell % grid.x, y = cell / grid.x % grid.y, z = cell / grid.x / grid.y;
  Point point = {0, 0, 0};
  for (int neighbour = 0; neighbour < 8; ++neighbour) {
    const int from_x = x - neighbour % 2, from_y = y - neighbour / 2 % 2, from_z = z - neighbour / 4;
    if (from_x < 0 || from_y < 0 || from_z < 0) continue;
    const int from = grid.cell(from_x, from_y, from_z);
    for (uint32_t i = start[from]; i < start[from + 1]; ++i) spread(samples[order[i]], x, y, z, point);
  }
  points[cell] = point;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 3000);
  const Grid grid = {arguments.number(1, 22), arguments.number(2, 22), arguments.number(3, 22)};
  if (double(grid.x) * grid.y * grid.z >= most_sums * scan_elements) {
    std::fprintf(stderr, "at most %d cells\n", most_sums * scan_elements - 1);
    return 2;
  }
  // Places are whole sixteenths of a cell and values are whole: every sum is exact, in any order.
  std::vector<Sample> samples(n);
  Random random;
  for (Sample& sample : samples) {
    sample.x = random.below(16 * grid.x) / 16.0f;
    sample.y = random.below(16 * grid.y) / 16.0f;
    sample.z = random.below(16 * grid.z) / 16.0f;
    sample.real = static_cast<float>(random.below(9)) - 4;
    sample.imaginary = static_cast<float>(random.below(9)) - 4;
  }
  const int blocks = (n + sort_keys - 1) / sort_keys, room = blocks * sort_keys, cells = grid.cells();
  DeviceArray<Sample> device_samples(samples);
  DeviceArray<uint32_t> keys(room), values(room), other_keys(room), other_values(room);
  DeviceArray<uint32_t> digit_start(size_t(digits) * blocks), start(cells + 1);
  DeviceArray<Point> points(cells);
  start.fill_zero();
  mri_bin<<<room / sort_threads, sort_threads>>>(device_samples.get(), n, grid, keys.get(), values.get(), start.get());
  finish_kernel();
  uint32_t *from_keys = keys.get(), *from_values = values.get();
  uint32_t *to_keys = other_keys.get(), *to_values = other_values.get();
  for (int shift = 0; cells >> shift > 0; shift += digit_bits) {
    mri_sort_split<<<blocks, sort_threads>>>(from_keys, from_values, digit_start.get(), shift);
    mri_digit_starts<<<1, 32>>>(digit_start.get(), digits * blocks);
    mri_grid_4_rearrange<<<blocks, sort_threads>>>(from_keys, from_values, digit_start.get(), to_keys, to_values,
                                                   shift);
    finish_kernel();
    std::swap(from_keys, to_keys);
    std::swap(from_values, to_values);
  }
  exclusive_scan(start.get(), cells + 1);
  mri_gridding<<<(cells + 127) / 128, 128>>>(device_samples.get(), from_values, start.get(), grid, points.get());
  finish_kernel();

  std::vector<Point> expected(cells);
  for (const Sample& sample : samples)
    for (int corner = 0; corner < 8; ++corner) {
      const int x = static_cast<int>(sample.x) + corner % 2, y = static_cast<int>(sample.y) + corner / 2 % 2;
      const int z = static_cast<int>(sample.z) + corner / 4;
      if (x < grid.x && y < grid.y && z < grid.z) spread(sample, x, y, z, expected[grid.cell(x, y, z)]);
    }
  auto flat = [](const std::vector<Point>& from) {
    std::vector<float> to;
    for (const Point& point : from) to.insert(to.end(), {point.real, point.imaginary, point.density});
    return to;
  };
  return verdict("mri_gridding", flat(points.to_host()), flat(expected));
}
