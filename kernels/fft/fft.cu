// The two-dimensional Fourier transform of complex numbers in single precision, first along the rows, then along the
// columns, by radix-2 butterflies in shared memory. Real and imaginary part are neighbouring words, each accessed alone:
//   fft_rows     a CTA transforms one row, a thread a butterfly at each stage. Butterflies of stage s leave bit s of the
//                index out, so that a warp meets on every second bank, and at the first five stages on fewer still
//   fft_columns  a CTA transforms 32 columns, a lane a column: every access is one of stride 2
//   fft [width, a power of two from 64 to 1024: 1024] [height, a power of two from 2 to 64: 64]
#include "../check.hpp"

#include <complex>

constexpr int strip = 32, column_threads = 8, most_width = 1024, most_height = 64;

// Shared memory of fixed size has the alignment of its words, so that no compiler joins the two words of a number to one
// access of 64 bits, which would have no conflicts in most places.

/// The butterfly of stage log2(half) on the complex words `top` and `bottom`.
/// @param twiddle  cosine and sine of the angle
__device__ void butterfly(float* node, int top, int bottom, const float* twiddle) {
  const float re = node[2 * bottom], im = node[2 * bottom + 1];
  const float turned_re = re * twiddle[0] - im * twiddle[1], turned_im = re * twiddle[1] + im * twiddle[0];
  const float top_re = node[2 * top], top_im = node[2 * top + 1];
  node[2 * top] = top_re + turned_re;
  node[2 * top + 1] = top_im + turned_im;
  node[2 * bottom] = top_re - turned_re;
  node[2 * bottom + 1] = top_im - turned_im;
}

/// The lowest log2(length) bits of i in the opposite order.
__device__ int reversed(int i, int length) { return static_cast<int>(__brev(i) >> (__clz(length) + 1)); }

/// One row a CTA, of twice as many numbers as threads.
/// @param twiddles  exp(-2 pi i k / width) for k < width / 2
__global__ void fft_rows(const float* in, float* out, const float* twiddles, int width) {
  __shared__ float node[2 * most_width];
  const int thread = threadIdx.x, row = 2 * width * blockIdx.x;
  for (int i = thread; i < width; i += blockDim.x) {
    const int from = row + 2 * reversed(i, width);
    node[2 * i] = in[from];
    node[2 * i + 1] = in[from + 1];
  }
  for (int half = 1; half < width; half *= 2) {
    __syncthreads();
    const int place = thread & (half - 1), top = 2 * (thread - place) + place;
    butterfly(node, top, top + half, twiddles + place * (width / half));
  }
  __syncthreads();
  for (int i = thread; i < width; i += blockDim.x) {
    out[row + 2 * i] = node[2 * i];
    out[row + 2 * i + 1] = node[2 * i + 1];
  }
}

/// 32 columns a CTA of 32x8 threads, in place.
/// @param twiddles  exp(-2 pi i k / height) for k < height / 2
__global__ void fft_columns(float* data, const float* twiddles, int width, int height) {
  __shared__ float node[2 * strip * most_height];
  const int lane = threadIdx.x, column = blockIdx.x * strip + lane;
  for (int y = threadIdx.y; y < height; y += column_threads) {
    const int from = 2 * (reversed(y, height) * width + column), to = 2 * (y * strip + lane);
    node[to] = data[from];
    node[to + 1] = data[from + 1];
  }
  for (int half = 1; half < height; half *= 2) {
    __syncthreads();
    for (int pair = threadIdx.y; pair < height / 2; pair += column_threads) {
      const int place = pair & (half - 1), top = 2 * (pair - place) + place;
      butterfly(node, top * strip + lane, (top + half) * strip + lane, twiddles + place * (height / half));
    }
  }
  __syncthreads();
  for (int y = threadIdx.y; y < height; y += column_threads) {
    const int to = 2 * (y * width + column), from = 2 * (y * strip + lane);
    data[to] = node[from];
    data[to + 1] = node[from + 1];
  }
}

using Complex = std::complex<double>;

Complex turn(int k, int length) { return std::polar(1.0, -2 * std::acos(-1.0) * k / length); }

std::vector<float> twiddles_of(int length) {
  std::vector<float> twiddles;
  for (int k = 0; k < length / 2; ++k) {
    twiddles.push_back(static_cast<float>(turn(k, length).real()));
    twiddles.push_back(static_cast<float>(turn(k, length).imag()));
  }
  return twiddles;
}

/// The transform by its recursive definition, in double precision.
std::vector<Complex> transform(const std::vector<Complex>& in) {
  const size_t half = in.size() / 2;
  if (half == 0) return in;
  std::vector<Complex> even(half), odd(half), out(in.size());
  for (size_t i = 0; i < half; ++i) {
    even[i] = in[2 * i];
    odd[i] = in[2 * i + 1];
  }
  even = transform(even);
  odd = transform(odd);
  for (size_t k = 0; k < half; ++k) {
    const Complex turned = odd[k] * turn(static_cast<int>(k), static_cast<int>(in.size()));
    out[k] = even[k] + turned;
    out[k + half] = even[k] - turned;
  }
  return out;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  const int width = arguments.number(0, 1024), height = arguments.number(1, 64);
  const auto power_of_two = [](int n, int least, int most) { return n >= least && n <= most && !(n & (n - 1)); };
  if (!power_of_two(width, 64, most_width) || !power_of_two(height, 2, most_height)) {
    std::fprintf(stderr, "width and height must be powers of two, from 64 to %d and from 2 to %d\n", most_width,
                 most_height);
    return 2;
  }
  std::vector<float> in(2 * size_t(width) * height), expected(in.size());
  Random random;
  for (float& value : in) value = (static_cast<float>(random.below(2001)) - 1000) / 1000;
  std::vector<std::vector<Complex>> rows(height, std::vector<Complex>(width));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const size_t at = 2 * (size_t(y) * width + x);
      rows[y][x] = {in[at], in[at + 1]};
    }
    rows[y] = transform(rows[y]);
  }
  for (int x = 0; x < width; ++x) {
    std::vector<Complex> column(height);
    for (int y = 0; y < height; ++y) column[y] = rows[y][x];
    column = transform(column);
    for (int y = 0; y < height; ++y) {
      const size_t at = 2 * (size_t(y) * width + x);
      expected[at] = static_cast<float>(column[y].real());
      expected[at + 1] = static_cast<float>(column[y].imag());
    }
  }

  DeviceArray<float> device_in(in), out(in.size());
  DeviceArray<float> row_twiddles(twiddles_of(width)), column_twiddles(twiddles_of(height));
  fft_rows<<<height, width / 2>>>(device_in.get(), out.get(), row_twiddles.get(), width);
  fft_columns<<<width / strip, dim3(strip, column_threads)>>>(out.get(), column_twiddles.get(), width, height);
  finish_kernel();
  // The sums have the size of sqrt(width * height), about 256, with rounding errors a ten-millionth of that each.
  return verdict("fft", out.to_host(), expected, 1e-3);
}
