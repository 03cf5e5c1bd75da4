// European call options by a binomial tree (Cox, Ross, Rubinstein 1979), an option a CTA: the values of a step lie in shared
// memory, and each step back in time reads its neighbour's, between two barriers. A barrier-bound kernel without conflicts.
//   binomial_options [options: 64] [steps: 255]
#include "../check.hpp"

constexpr int most_steps = 1023;

struct Option {
  float price, strike, years;
};

constexpr float rate = 0.06f, volatility = 0.10f;

/// What a step of the tree does, the same for CPU and GPU.
struct Step {
  float up_log, up_weight, down_weight;  // of the price's logarithm; discounted probabilities
};

Step step_of(const Option& option, int steps) {
  const double time = option.years / steps, up = volatility * std::sqrt(time);
  const double growth = std::exp(rate * time), u = std::exp(up), d = std::exp(-up), p = (growth - d) / (u - d);
  return {static_cast<float>(up), static_cast<float>(p / growth), static_cast<float>((1 - p) / growth)};
}

__global__ void binomial_options(const Option* options, const Step* step_of_option, float* value, int steps) {
  __shared__ float values[most_steps + 1];
  const Option option = options[blockIdx.x];
  const Step step = step_of_option[blockIdx.x];
  const int t = threadIdx.x;  // the node with t moves up
  const float end = option.price * expf(step.up_log * static_cast<float>(2 * t - steps));
  float mine = fmaxf(end - option.strike, 0.0f);
  for (int left = steps; left > 0; --left) {
    values[t] = mine;
    __syncthreads();
    if (t < left) mine = step.up_weight * values[t + 1] + step.down_weight * mine;
    __syncthreads();
  }
  if (t == 0) value[blockIdx.x] = mine;
}

float reference(const Option& option, int steps) {
  const Step step = step_of(option, steps);
  std::vector<double> values(steps + 1);
  for (int k = 0; k <= steps; ++k)
    values[k] = std::fmax(option.price * std::exp(double{step.up_log} * (2 * k - steps)) - option.strike, 0.0);
  for (int left = steps; left > 0; --left)
    for (int k = 0; k < left; ++k) values[k] = step.up_weight * values[k + 1] + step.down_weight * values[k];
  return static_cast<float>(values[0]);
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({}, 2);
  const int n = arguments.number(0, 64), steps = arguments.number(1, 255);
  if (steps > most_steps) refuse_arguments("a CTA has a thread for each end of the tree", "give at most 1023 steps");
  std::vector<Option> options(n);
  std::vector<Step> step(n);
  std::vector<float> expected(n);
  Random random;
  for (int i = 0; i < n; ++i) {
    options[i] = {5 + static_cast<float>(random.below(2500)) / 100, 5 + static_cast<float>(random.below(2500)) / 100,
                  1 + static_cast<float>(random.below(900)) / 100};
    step[i] = step_of(options[i], steps);
    expected[i] = reference(options[i], steps);
  }
  DeviceArray<Option> device_options(options);
  DeviceArray<Step> device_step(step);
  DeviceArray<float> value(n);
  binomial_options<<<n, steps + 1>>>(device_options.get(), device_step.get(), value.get(), steps);
  finish_kernel();
  return verdict("binomial_options", value.to_host(), expected, 1e-3);
}
