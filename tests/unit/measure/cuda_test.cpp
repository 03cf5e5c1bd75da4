// The way to a real GPU, with a driver library that is none: what it is asked for, and what is said when something is
// wrong.
#include <gtest/gtest.h>

#include <cstdlib>

#include "bankshot/measure/calibrate.hpp"
#include "bankshot/measure/description.hpp"
#include "bankshot/measure/runner_cuda.hpp"
#include "tests/paths.hpp"

namespace bankshot::measure {
namespace {

/// FAKE_DRIVER while it lives.
class Script {
 public:
  explicit Script(const char* what) { setenv("FAKE_DRIVER", what, 1); }
  ~Script() { unsetenv("FAKE_DRIVER"); }
};

std::string refusal(int ordinal = 0, const std::string& library = paths::fake_driver()) {
  const auto runner = cuda_runner(ordinal, library);
  return runner ? "" : runner.error().message;
}

/// What goes wrong in measuring, after the device was found.
std::string failure(const char* script) {
  auto runner = cuda_runner(0, paths::fake_driver());
  if (!runner) return "not even opened: " + runner.error().message;
  const Script scripted(script);
  const auto all = calibrate(**runner, {}, {.samples = 1, .warps = 2, .repeats = 8});
  return all ? "" : all.error().message;
}

TEST(MeasureCuda, asks_the_driver_what_the_device_is) {
  const auto runner = cuda_runner(0, paths::fake_driver());
  ASSERT_TRUE(runner) << runner.error().message;
  const Device& device = (*runner)->device();
  EXPECT_EQ(device.name, "Imaginary \"GPU\"");
  EXPECT_EQ(device.major, 7u);
  EXPECT_EQ(device.minor, 5u);
  EXPECT_EQ(device.driver, "CUDA driver 12.4");
  EXPECT_EQ(device.clock_khz, 1'234'000u);
  EXPECT_EQ(device.shared_bytes, 49'152u);
  EXPECT_EQ(device.max_threads, 1024u);
  EXPECT_EQ(device.issue_cycles_by_tick, 1);
  EXPECT_EQ(device.facts.at("gpu.compute_capability"), "\"7.5\"");
  EXPECT_EQ(device.facts.at("gpu.sms"), "10");
  EXPECT_EQ(device.facts.at("memory.global_bytes"), "8589934592");
  EXPECT_FALSE(device.facts.contains("sm.max_blocks"));  // this driver does not know
}

TEST(MeasureCuda, asks_the_driver_where_variables_are) {
  const auto runner = cuda_runner(0, paths::fake_driver());
  ASSERT_TRUE(runner) << runner.error().message;
  const auto variable = (*runner)->variable("variable");
  ASSERT_TRUE(variable) << variable.error().message;
  EXPECT_NE(variable->address, 0u);
  EXPECT_EQ(variable->bytes, 8u);
  const auto missing = (*runner)->variable("x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(
      missing.error().message,
      "Imaginary \"GPU\": cuModuleGetGlobal of x failed: no reason given (an error that it has no name for, 500)");
}

TEST(MeasureCuda, measures_and_describes) {
  auto runner = cuda_runner(0, paths::fake_driver());
  ASSERT_TRUE(runner) << runner.error().message;
  const auto all = calibrate(**runner, {}, {.samples = 3, .warps = 2, .repeats = 8});
  ASSERT_TRUE(all) << all.error().message;
  for (const Series& series : all->series) {
    EXPECT_EQ(series.line.first, 33);
    EXPECT_EQ(series.line.step, 0);
  }
  for (const Rate& rate : all->rates) EXPECT_EQ(rate.ticks[0].median(), 33);
  EXPECT_FALSE(all->locks.number);
  const auto base = nearest_base(all->device);
  ASSERT_TRUE(base);
  const Description description = describe(*all, *base);
  const auto gpu = gpu::parse_gpu(description.toml, "written.toml");
  ASSERT_TRUE(gpu) << gpu.error().message;
  EXPECT_EQ(gpu->name, "Imaginary ?GPU?");
  EXPECT_EQ(gpu->timing->scratchpad.latency, 33u);
  EXPECT_EQ(gpu->machine.sms, 10u);
  EXPECT_EQ(gpu->max_threads_per_sm, 1536u);
  EXPECT_EQ(gpu->max_warps_per_sm, 48u);
  ASSERT_EQ(description.refused.size(), 1u);
  EXPECT_EQ(description.refused[0].key, "memory.l2_bytes");
}

TEST(MeasureCuda, rejects_what_is_no_driver) {
  EXPECT_EQ(
      refusal(0, "/no/such/libcuda.so.1"),
      "no NVIDIA driver: /no/such/libcuda.so.1: cannot open shared object file: No such file or directory. To measure "
      "a "
      "real GPU install its driver, or name its library with --driver; to measure a simulated one: --backend simulate");
  EXPECT_EQ(
      refusal(0, paths::old_fake_driver()),
      paths::old_fake_driver() +
          " has no function cuLaunchKernel: it is not a CUDA driver, or it is older than CUDA 7; install a newer one");
}

TEST(MeasureCuda, rejects_devices_that_are_not_there) {
  EXPECT_EQ(refusal(1), "there is no GPU 1; the driver has 1: --device 0 to 0");
  EXPECT_EQ(refusal(-1), "there is no GPU -1; the driver has 1: --device 0 to 0");
  {
    const Script script("no_gpu");
    EXPECT_EQ(refusal(), "the driver has no GPU; to measure a simulated one: --backend simulate");
  }
  {
    const Script script("no_device");
    EXPECT_EQ(refusal(), paths::fake_driver() +
                             " finds no GPU: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE, 100). Check the "
                             "output of nvidia-smi; to measure a simulated GPU: --backend simulate");
  }
  const Script script("wide");
  EXPECT_EQ(refusal(), "Imaginary \"GPU\" has warps of 64 lanes; the micro-benchmarks are for 32");
}

TEST(MeasureCuda, tells_what_fails_and_where) {
  EXPECT_EQ(failure("jit"),
            "CUDA driver 12.4 cannot compile the PTX: a PTX JIT compilation failed "
            "(CUDA_ERROR_INVALID_PTX, 218); it says: ptxas application ptx input, line 7; fatal. A newer driver may be "
            "able to");
  EXPECT_EQ(failure("launch"),
            "Imaginary \"GPU\": the launch of latency_load failed: unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED, 719)");
  EXPECT_EQ(failure("fault"),
            "Imaginary \"GPU\": kernel latency_load failed: unspecified launch failure "
            "(CUDA_ERROR_LAUNCH_FAILED, 719)");
  EXPECT_EQ(failure("no_kernel"),
            "Imaginary \"GPU\": cuModuleGetFunction of latency_load failed: no reason given (an error that "
            "it has no name for, 500)");
  EXPECT_EQ(failure("memory"),
            "Imaginary \"GPU\": cuMemAlloc failed: no reason given (an error that it has no name for, 2)");
  EXPECT_EQ(failure(""), "");
}

}  // namespace
}  // namespace bankshot::measure
