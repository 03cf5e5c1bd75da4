// Times of the programs of this folder: rows of hardware/README.md's form on the standard output, one at a time.
#pragma once
#include <algorithm>

#include "common.hpp"

namespace hopper {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A row without its first two columns and its last, which tests/device/hopper/run adds: quantity, condition, value,
/// unit.
inline void row(const std::string& quantity, const std::string& condition, double value, const char* unit = "cycles") {
  std::printf("%s\t%s\t%.6g\t%s\n", quantity.c_str(), condition.c_str(), value, unit);
  std::fflush(stdout);
}

/// The median of what `launch(out)` leaves in out[0], over seven runs after one to warm up.
template <class Launch>
double median_cycles(DeviceArray<uint32_t>& out, Launch launch) {
  std::vector<double> values;
  for (int run = 0; run < 8; ++run) {
    launch(out.get());
    synchronize();
    uint32_t cycles;
    CHECK(cudaMemcpy(&cycles, out.get(), sizeof cycles, cudaMemcpyDeviceToHost));
    if (run) values.push_back(cycles);
  }
  return median(values);
}

/// Milliseconds of a launch by events, the median of five after one to warm up.
template <class Launch>
double median_milliseconds(Launch launch) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::vector<double> values;
  for (int run = 0; run < 6; ++run) {
    CHECK(cudaEventRecord(start));
    launch();
    CHECK(cudaEventRecord(stop));
    synchronize();
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    if (run) values.push_back(milliseconds);
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return median(values);
}

template <class Kernel>
void allow_shared(Kernel kernel, int bytes) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

}  // namespace hopper
