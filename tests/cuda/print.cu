// Device printf comes in order with the host's own output: compared with print.expected by the runner.
#include "check.hpp"

__global__ void greet(int x) { printf("kernel %d: %s %.2f\n", x, "text", 1.5 * x); }

int main() {
  std::printf("before\n");
  greet<<<1, 1>>>(1);
  OK(cudaDeviceSynchronize());
  std::printf("between\n");
  greet<<<1, 1>>>(2);
  OK(cudaDeviceSynchronize());
  return finish("print");
}
