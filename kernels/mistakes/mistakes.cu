// The mistakes that `bankshot check` finds, one a kernel. Each kernel adds up blocks of 256 numbers and gets them right here; on
// a GPU it may not. Without an argument the sums are computed as they should be. --zeros: all numbers are zero.
//   mistakes [--no-barrier | --one-barrier | --no-syncwarp | --last-one-wins | --unwritten-shared | --unwritten-global |
//             --divergent-barrier | --wrong-mask | --past-the-end | --leak | --two-barriers | --early-end | --absent-lanes]
#include "../check.hpp"

constexpr int kBlock = 256;

__global__ void sums(const int* in, int* out) {
  __shared__ int part[kBlock];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void no_barrier(const int* in, int* out) {
  __shared__ int part[kBlock];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  if (t != kBlock - 1) return;
  int sum = 0;
  for (int k = 0; k < kBlock; ++k) sum += part[k];  // others may not have written yet
  out[blockIdx.x] = sum;
}

/// Thread 32 adds up 32 numbers at a time, which warp 0 brings.
__global__ void one_barrier(const int* in, int* out) {
  __shared__ int buffer[32];
  const int t = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < kBlock; k += 32) {
    if (t < 32) buffer[t] = in[blockIdx.x * kBlock + k + t];  // perhaps before the last ones were read
    __syncthreads();
    for (int i = 0; i < 32 && t == 32; ++i) sum += buffer[i];
  }
  if (t == 32) out[blockIdx.x] = sum;
}

/// The last additions without barriers, as before Volta.
__global__ void no_syncwarp(const int* in, int* out) {
  __shared__ volatile int part[kBlock];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int half = kBlock / 2; half >= 32; half /= 2) {
    if (t < half) part[t] = part[t] + part[t + half];
    __syncthreads();
  }
  for (int half = 16; half > 0; half /= 2) {
    if (t < half) part[t] = part[t] + part[t + half];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

/// One thread of the block is to add; all that want write their number.
__global__ void last_one_wins(const int* in, int* out) {
  __shared__ int chosen;
  const int t = threadIdx.x;
  if (t % 3 == 0) chosen = t;
  __syncthreads();
  if (t != chosen) return;
  int sum = 0;
  for (int k = 0; k < kBlock; ++k) sum += in[blockIdx.x * kBlock + k];
  out[blockIdx.x] = sum;
}

__device__ int sum_of(const int* values, int count) {
  int sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k];
  return sum;
}

/// Reads one element more than there is, times zero.
__global__ void unwritten_shared(const int* in, int* out) {
  __shared__ int part[kBlock + 1];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  __syncthreads();
  if (t != 0) return;
  out[blockIdx.x] = sum_of(part, kBlock + 1);  // part[256] was never written
}

/// Adds to results that nobody has set to zero.
__global__ void unwritten_global(const int* in, int* out) {
  const int t = threadIdx.x;
  if (t != 0) return;
  for (int k = 0; k < kBlock; ++k) out[blockIdx.x] += in[blockIdx.x * kBlock + k];
}

__global__ void divergent_barrier(const int* in, int* out) {
  __shared__ int part[kBlock];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  if (t % 2 == 0) {
    __syncthreads();  // the odd threads come to another one
  } else {
    part[t] += 0;
    __syncthreads();
  }
  if (t != 0) return;
  int sum = 0;
  for (int k = 0; k < kBlock; ++k) sum += part[k];
  out[blockIdx.x] = sum;
}

__global__ void wrong_mask(const int* in, int* out) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int k = t; k < kBlock && t < 32; k += 32) sum += in[blockIdx.x * kBlock + k];
  if (t >= 32) return;
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0x7fffffffu, sum, distance);  // without lane 31
  if (t == 0) out[blockIdx.x] = sum;
}

__global__ void past_the_end(const int* in, int* out) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int k = 0; k <= kBlock; ++k) sum += in[blockIdx.x * kBlock + k];
  out[blockIdx.x] = sum - in[(blockIdx.x + 1) * kBlock];
}

/// Thread 0 adds up while the others wait for it, all at barriers of their own.
__global__ void two_barriers(const int* in, int* out) {
  __shared__ int sum;
  const int t = threadIdx.x;
  if (t < 32) {
    int all = 0;
    for (int k = 0; k < kBlock && t == 0; ++k) all += in[blockIdx.x * kBlock + k];
    if (t == 0) sum = all;
    __syncthreads();
  } else {
    __syncthreads();  // the block's first warp comes to another one
    if (t == 32) out[blockIdx.x] = sum;
  }
}

/// Who has nothing to add any more ends, and the barrier does without it.
__global__ void early_end(const int* in, int* out) {
  __shared__ int part[kBlock];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * kBlock + t];
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (t >= half) return;
    part[t] += part[t + half];
    __syncthreads();
  }
  out[blockIdx.x] = part[0];
}

/// Half of a warp exchanges sums, but names all of it.
__global__ void absent_lanes(const int* in, int* out) {
  __shared__ volatile int copy[32];
  const int t = threadIdx.x;
  int sum = 0;
  if (t < 16) {
    for (int k = t; k < kBlock; k += 16) sum += in[blockIdx.x * kBlock + k];
    for (int distance = 8; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if ((copy[t] = sum) >= 0 && t == 0) out[blockIdx.x] = sum;
}

struct Mistake {
  const char* name;
  void (*kernel)(const int*, int*);
  int threads;
};

int main(int argc, char** argv) {
  const Mistake mistakes[] = {{"--no-barrier", no_barrier, kBlock},
                              {"--one-barrier", one_barrier, 64},
                              {"--no-syncwarp", no_syncwarp, kBlock},
                              {"--last-one-wins", last_one_wins, kBlock},
                              {"--unwritten-shared", unwritten_shared, kBlock},
                              {"--unwritten-global", unwritten_global, kBlock},
                              {"--divergent-barrier", divergent_barrier, kBlock},
                              {"--wrong-mask", wrong_mask, kBlock},
                              {"--past-the-end", past_the_end, kBlock},
                              {"--leak", sums, kBlock},
                              {"--two-barriers", two_barriers, 64},
                              {"--early-end", early_end, kBlock},
                              {"--absent-lanes", absent_lanes, 32}};
  Arguments arguments(argc, argv);
  arguments.allow({"--no-barrier", "--one-barrier", "--no-syncwarp", "--last-one-wins", "--unwritten-shared",
                   "--unwritten-global", "--divergent-barrier", "--wrong-mask", "--past-the-end", "--leak",
                   "--two-barriers", "--early-end", "--absent-lanes", "--zeros"});
  Mistake made{"", sums, kBlock};
  for (const Mistake& mistake : mistakes)
    if (arguments.flag(mistake.name)) made = mistake;

  const int blocks = 4;
  std::vector<int> in(blocks * kBlock), expected(blocks);
  Random random;
  for (int i = 0; i < blocks * kBlock; ++i) {
    in[i] = arguments.flag("--zeros") ? 0 : static_cast<int>(random.below(1000));
    expected[i / kBlock] += in[i];
  }
  DeviceArray<int> numbers(in), results(blocks);
  if (arguments.flag("--leak")) {
    int* forgotten = nullptr;
    CUDA_CHECK(cudaMalloc(&forgotten, 1000));
  }
  made.kernel<<<blocks, made.threads>>>(numbers.get(), results.get());
  finish_kernel();
  return verdict("mistakes", results.to_host(), expected);
}
