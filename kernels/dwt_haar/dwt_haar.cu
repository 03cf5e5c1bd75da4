// The Haar wavelet transform of a signal, down to one average. A CTA takes 1,024 samples through ten levels in shared
// memory: each level halves the averages, in place, so that those of level l are 2^l words apart; the averages of the
// CTAs are the signal of the next launch. The strides are powers of two and double, and so do the conflicts.
//   dwt_haar [samples, a power of two: 65536]
#include "../check.hpp"

constexpr int most_threads = 512;
constexpr float scale = 0.70710678f;  // 1/sqrt(2): the transform keeps the sum of squares

/// One CTA: 2 * blockDim.x samples, as many levels as that allows. Details of the first level go to details[n / 2…],
/// of the second to details[n / 4…], and so on, where n is the length of the signal: the usual order, coarse to fine.
__global__ void dwt_haar(const float* signal, float* details, float* averages, int n) {
  __shared__ float node[2 * most_threads];
  const int thread = threadIdx.x, threads = blockDim.x, block = blockIdx.x;
  node[thread] = signal[block * 2 * threads + thread];
  node[thread + threads] = signal[block * 2 * threads + thread + threads];
  __syncthreads();
  float left = node[2 * thread], right = node[2 * thread + 1];
  __syncthreads();
  details[n / 2 + block * threads + thread] = (left - right) * scale;
  node[thread] = (left + right) * scale;
  __syncthreads();
  int level_length = n / 4, distance = 1;
  for (int active = threads / 2; active > 0; active /= 2, level_length /= 2, distance *= 2) {
    if (thread < active) {
      const int first = 2 * distance * thread, second = first + distance;
      left = node[first];
      right = node[second];
      details[level_length + block * active + thread] = (left - right) * scale;
      node[first] = (left + right) * scale;
    }
    __syncthreads();
  }
  if (thread == 0) averages[block] = node[0];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int n = arguments.number(0, 1 << 16);
  if (n < 2 || (n & (n - 1))) {
    std::fprintf(stderr, "the number of samples must be a power of two from 2 on\n");
    return 2;
  }
  std::vector<float> signal(n), expected(n);
  Random random;
  for (float& sample : signal) sample = static_cast<float>(random.below(2001)) - 1000;
  std::vector<double> level(signal.begin(), signal.end());
  for (int length = n / 2; length > 0; length /= 2)
    for (int i = 0; i < length; ++i) {
      expected[length + i] = static_cast<float>((level[2 * i] - level[2 * i + 1]) * std::sqrt(0.5));
      level[i] = (level[2 * i] + level[2 * i + 1]) * std::sqrt(0.5);
    }
  expected[0] = static_cast<float>(level[0]);

  DeviceArray<float> first(signal), second(n), details(n);
  float *from = first.get(), *to = second.get();
  for (int length = n; length > 1;) {
    const int threads = length / 2 < most_threads ? length / 2 : most_threads, grid = length / 2 / threads;
    dwt_haar<<<grid, threads>>>(from, details.get(), to, length);
    finish_kernel();
    length = grid;
    float* averages = to;
    to = from;
    from = averages;
  }
  CUDA_CHECK(cudaMemcpy(details.get(), from, sizeof(float), cudaMemcpyDeviceToDevice));
  return verdict("dwt_haar", details.to_host(), expected, 1e-3);
}
