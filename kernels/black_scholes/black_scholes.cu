// European calls and puts by the formula of Black and Scholes (1973), an option a thread: logarithm, exponential, square root and
// division, no shared memory.
//   black_scholes [options: 100000]
#include "../check.hpp"

constexpr float rate = 0.02f, volatility = 0.30f;

/// Of the normal distribution, to 7.5e-8. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17
__device__ float normal(float x) {
  const float k = 1 / (1 + 0.2316419f * fabsf(x));
  const float series =
      k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * x * x) * series;
  return x > 0 ? 1 - tail : tail;
}

__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put,
                              int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = price[i], k = strike[i], t = years[i], spread = volatility * sqrtf(t);
  const float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread, d2 = d1 - spread;
  const float present = k * expf(-rate * t), n1 = normal(d1), n2 = normal(d2);
  call[i] = s * n1 - present * n2;
  put[i] = present * (1 - n2) - s * (1 - n1);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({}, 1);
  const int n = arguments.number(0, 100'000), block = 256;
  std::vector<float> price(n), strike(n), years(n), expected(size_t(n) * 2);
  Random random;
  const auto between = [&](float low, float high) {
    return low + (high - low) * static_cast<float>(random.below(1 << 16)) / 65536;
  };
  for (int i = 0; i < n; ++i) {
    price[i] = between(5, 30), strike[i] = between(1, 100), years[i] = between(0.25f, 10);
    const double s = price[i], k = strike[i], t = years[i], spread = volatility * std::sqrt(t);
    const double d1 = (std::log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread, d2 = d1 - spread;
    const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
    const double present = k * std::exp(-double{rate} * t);
    expected[i] = static_cast<float>(s * normal(d1) - present * normal(d2));
    expected[n + i] = static_cast<float>(present * normal(-d2) - s * normal(-d1));
  }
  DeviceArray<float> device_price(price), device_strike(strike), device_years(years), both(expected.size());
  black_scholes<<<(n + block - 1) / block, block>>>(device_price.get(), device_strike.get(), device_years.get(),
                                                    both.get(), both.get() + n, n);
  finish_kernel();
  return verdict("black_scholes", both.to_host(), expected, 1e-4);
}
