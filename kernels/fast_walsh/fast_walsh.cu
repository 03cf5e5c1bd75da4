// The Walsh-Hadamard transform (natural order) of many vectors, one a CTA, in shared memory: stages of radix 4, and one of
// radix 2 at the end if the logarithm of the length is odd. With strides below 32, lanes of a warp fall into groups that
// are four strides apart and meet in the same banks.
//   fast_walsh [log2 of the length, 2 to 11: 10] [vectors: 16]
#include "../check.hpp"

constexpr int most_log2 = 11;

__global__ void fast_walsh(const float* in, float* out, int log2_length) {
  __shared__ float node[1 << most_log2];  // of fixed size: aligned to words, so that no compiler joins two
  const int length = 1 << log2_length, thread = threadIdx.x;
  in += blockIdx.x * length;
  out += blockIdx.x * length;
  for (int i = thread; i < length; i += blockDim.x) node[i] = in[i];
  for (int stride = length / 4; stride > 0; stride /= 4) {
    __syncthreads();
    // The thread's place in its group of `stride` threads, each of which takes four words a stride apart.
    const int place = thread & (stride - 1);
    const int i0 = (thread - place) * 4 + place, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    const float a = node[i0], b = node[i1], c = node[i2], d = node[i3];
    node[i0] = (a + c) + (b + d);
    node[i1] = (a + c) - (b + d);
    node[i2] = (a - c) + (b - d);
    node[i3] = (a - c) - (b - d);
  }
  if (log2_length % 2) {
    __syncthreads();
    for (int pair = thread; pair < length / 2; pair += blockDim.x) {
      const float a = node[2 * pair], b = node[2 * pair + 1];
      node[2 * pair] = a + b;
      node[2 * pair + 1] = a - b;
    }
  }
  __syncthreads();
  for (int i = thread; i < length; i += blockDim.x) out[i] = node[i];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int log2_length = arguments.number(0, 10), vectors = arguments.number(1, 16);
  if (log2_length < 2 || log2_length > most_log2) {
    std::fprintf(stderr, "the logarithm of the length must be 2 to %d: a vector is one CTA's\n", most_log2);
    return 2;
  }
  const int length = 1 << log2_length;
  std::vector<float> in(size_t(vectors) * length);
  Random random;
  for (float& value : in) value = static_cast<float>(random.below(201)) - 100;  // whole numbers: every sum is exact
  std::vector<float> expected = in;
  for (int span = 1; span < length; span *= 2)
    for (size_t i = 0; i < expected.size(); ++i)
      if (!(i & span)) {
        const float a = expected[i], b = expected[i + span];
        expected[i] = a + b;
        expected[i + span] = a - b;
      }
  DeviceArray<float> device_in(in), out(in.size());
  fast_walsh<<<vectors, length / 4>>>(device_in.get(), out.get(), log2_length);
  finish_kernel();
  return verdict("fast_walsh", out.to_host(), expected);
}
