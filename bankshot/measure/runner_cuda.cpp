#include "bankshot/measure/runner_cuda.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace bankshot::measure {
namespace {

/// Numbers of the driver interface: CUdevice_attribute, CUjit_option, CU_LAUNCH_PARAM_….
enum Attribute : int {
  kMaxThreads = 1,
  kSharedPerBlock = 8,
  kWarpSize = 10,
  kClock = 13,
  kThreadsPerSm = 39,
  kMajor = 75,
  kMinor = 76
};
/// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr int kDynamicShared = 8;
enum JitOption : int { kErrorLog = 5, kErrorLogBytes = 6 };
void* const kParamEnd = nullptr;
void* const kParamBuffer = reinterpret_cast<void*>(1);
void* const kParamBytes = reinterpret_cast<void*>(2);

/// Attributes that a description has a key for.
struct Fact {
  int attribute;
  const char* key;
};
constexpr std::array kFacts = {
    Fact{16, "gpu.sms"},
    Fact{kClock, "clocks.core_khz"},
    Fact{36, "clocks.memory_khz"},
    Fact{38, "memory.l2_bytes"},
    Fact{9, "memory.constant_bytes"},
    Fact{37, "memory.bus_bits"},
    Fact{81, "sm.shared_bytes"},
    Fact{kSharedPerBlock, "sm.shared_per_block_bytes"},
    Fact{97, "sm.shared_per_block_optin_bytes"},
    Fact{111, "sm.shared_reserved_per_block_bytes"},
    Fact{82, "sm.registers"},
    Fact{12, "sm.registers_per_block"},
    Fact{kThreadsPerSm, "sm.max_threads"},
    Fact{kMaxThreads, "sm.max_threads_per_block"},
    Fact{106, "sm.max_blocks"},
};

class Cuda final : public Runner {
 public:
  explicit Cuda(Driver driver) : driver_(std::move(driver)) {}
  ~Cuda() override {
    if (module_) driver_.cuModuleUnload(module_);
  }

  /// Finds the device and makes its context the thread's. @return why it cannot be used
  std::optional<Error> open(int ordinal) {
    if (const int error = driver_.cuInit(0)) {
      return Error{fmt::format(
          "{} finds no GPU: {}. Check the output of nvidia-smi; to measure a simulated GPU: --backend simulate",
          driver_.library, driver_.text_of(error))};
    }
    int count = 0, id = 0;
    if (auto error = call("cuDeviceGetCount", driver_.cuDeviceGetCount(&count))) return error;
    if (count < 1) return Error{"the driver has no GPU; to measure a simulated one: --backend simulate"};
    if (ordinal < 0 || ordinal >= count) {
      return Error{fmt::format("there is no GPU {}; the driver has {}: --device 0 to {}", ordinal, count, count - 1)};
    }
    if (auto error = call("cuDeviceGet", driver_.cuDeviceGet(&id, ordinal))) return error;
    if (auto error = describe(id)) return error;
    if (auto error = call("cuDevicePrimaryCtxRetain", driver_.cuDevicePrimaryCtxRetain(&context_, id))) return error;
    if (auto error = call("cuCtxSetCurrent", driver_.cuCtxSetCurrent(context_))) return error;
    if (auto error = call("cuEventCreate", driver_.cuEventCreate(&begin_, 0))) return error;
    return call("cuEventCreate", driver_.cuEventCreate(&end_, 0));
  }

  const Device& device() const override { return device_; }

  std::optional<Error> load(std::string_view ptx) override {
    const std::string text(ptx);  // it ends with a zero
    std::vector<char> log(16384, '\0');
    std::array<int, 2> options = {kErrorLog, kErrorLogBytes};
    std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
    DriverModule module = nullptr;
    if (const int error = driver_.cuModuleLoadDataEx(&module, text.c_str(), 2, options.data(), values.data())) {
      return Error{fmt::format("{} cannot compile the PTX: {}{}{}. A newer driver may be able to", device_.driver,
                               driver_.text_of(error), log[0] ? "; it says: " : "", log.data())};
    }
    if (module_) driver_.cuModuleUnload(module_);
    module_ = module;
    return std::nullopt;
  }

  Result<Variable> variable(const std::string& name) override {
    uint64_t address = 0;
    size_t bytes = 0;
    if (auto error = call("cuModuleGetGlobal of " + name,
                          driver_.cuModuleGetGlobal_v2(&address, &bytes, module_, name.c_str()))) {
      return *error;
    }
    return Variable{address, bytes};
  }
  Result<uint64_t> allocate(uint64_t bytes) override {
    uint64_t address = 0;
    if (auto error = call("cuMemAlloc", driver_.cuMemAlloc_v2(&address, bytes))) return *error;
    return address;
  }
  void release(uint64_t address) override { driver_.cuMemFree_v2(address); }
  std::optional<Error> copy_in(uint64_t to, std::span<const std::byte> from) override {
    return call("cuMemcpyHtoD", driver_.cuMemcpyHtoD_v2(to, from.data(), from.size()));
  }
  std::optional<Error> copy_out(std::span<std::byte> to, uint64_t from) override {
    return call("cuMemcpyDtoH", driver_.cuMemcpyDtoH_v2(to.data(), from, to.size()));
  }

  std::optional<Error> launch(const Launch& launch) override {
    const std::string name(launch.kernel);
    DriverFunction function = nullptr;
    if (auto error =
            call("cuModuleGetFunction of " + name, driver_.cuModuleGetFunction(&function, module_, name.c_str()))) {
      return error;
    }
    size_t bytes = launch.arguments.size();
    std::vector<std::byte> arguments(launch.arguments.begin(), launch.arguments.end());
    std::array<void*, 5> extra = {kParamBuffer, arguments.data(), kParamBytes, &bytes, kParamEnd};
    if (launch.shared_bytes > device_.shared_bytes) {  // more than a block gets without asking
      const int shared = static_cast<int>(launch.shared_bytes);
      const int error = driver_.cuFuncSetAttribute(function, kDynamicShared, shared);
      if (error != 0) return call("cuFuncSetAttribute of " + name, error);
    }
    if (auto error = call("cuEventRecord", driver_.cuEventRecord(begin_, nullptr))) return error;
    if (auto error = call("the launch of " + name,
                          driver_.cuLaunchKernel(function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                                                 launch.block.y, launch.block.z, launch.shared_bytes, nullptr, nullptr,
                                                 extra.data()))) {
      return error;
    }
    if (auto error = call("cuEventRecord", driver_.cuEventRecord(end_, nullptr))) return error;
    if (auto error = call("kernel " + name, driver_.cuCtxSynchronize())) return error;
    float milliseconds = 0;
    if (auto error = call("cuEventElapsedTime", driver_.cuEventElapsedTime(&milliseconds, begin_, end_))) return error;
    elapsed_ns_ = 1e6 * milliseconds;
    return std::nullopt;
  }
  double elapsed_ns() const override { return elapsed_ns_; }

 private:
  std::optional<Error> call(const std::string& what, int error) const {
    if (error == 0) return std::nullopt;
    return Error{fmt::format("{}: {} failed: {}", device_.name.empty() ? driver_.library : device_.name, what,
                             driver_.text_of(error))};
  }

  /// 0 where the driver does not know it.
  int attribute(int number, int id) const {
    int value = 0;
    return driver_.cuDeviceGetAttribute(&value, number, id) == 0 ? value : 0;
  }

  std::optional<Error> describe(int id) {
    std::array<char, 256> name = {};
    if (auto error = call("cuDeviceGetName", driver_.cuDeviceGetName(name.data(), name.size() - 1, id))) return error;
    device_.name = name.data();
    int version = 0;
    if (auto error = call("cuDriverGetVersion", driver_.cuDriverGetVersion(&version))) return error;
    device_.driver = fmt::format("CUDA driver {}.{}", version / 1000, version % 1000 / 10);
    const int warp = attribute(kWarpSize, id), major = attribute(kMajor, id), minor = attribute(kMinor, id);
    const int shared = attribute(kSharedPerBlock, id), threads = attribute(kMaxThreads, id);
    if (warp != 32) {
      return Error{fmt::format("{} has warps of {} lanes; the micro-benchmarks are for 32", device_.name, warp)};
    }
    if (major < 2 || minor < 0 || shared < 4096 || threads < 32) {
      return Error{
          fmt::format("{} has compute capability {}.{} and blocks of {} threads and {} bytes of shared memory; the "
                      "micro-benchmarks need 2.0, 32 and 4096",
                      device_.name, major, minor, threads, shared)};
    }
    device_.major = static_cast<unsigned>(major);
    device_.minor = static_cast<unsigned>(minor);
    device_.clock_khz = static_cast<uint32_t>(std::max(0, attribute(kClock, id)));
    device_.shared_bytes = static_cast<uint32_t>(shared);
    device_.max_threads = static_cast<uint32_t>(threads);
    device_.issue_cycles_by_tick = major == 2 ? 0.5 : 1;  // GF100 whitepaper: cores at twice the schedulers' clock
    return facts(id);
  }

  std::optional<Error> facts(int id) {
    device_.facts["gpu.compute_capability"] = fmt::format("\"{}.{}\"", device_.major, device_.minor);
    size_t bytes = 0;
    if (auto error = call("cuDeviceTotalMem", driver_.cuDeviceTotalMem_v2(&bytes, id))) return error;
    device_.facts["memory.global_bytes"] = std::to_string(bytes);
    for (const Fact& fact : kFacts) {
      int value = 0;
      const bool known = driver_.cuDeviceGetAttribute(&value, fact.attribute, id) == 0 && value >= 0;
      if (known) device_.facts[fact.key] = std::to_string(value);
      if (known && fact.attribute == kThreadsPerSm) device_.facts["sm.max_warps"] = std::to_string(value / 32);
    }
    return std::nullopt;
  }

  Driver driver_;
  Device device_;
  DriverContext context_ = nullptr;
  DriverModule module_ = nullptr;
  DriverEvent begin_ = nullptr, end_ = nullptr;  // live as long as the context
  double elapsed_ns_ = 0;
};

}  // namespace

Result<std::unique_ptr<Runner>> cuda_runner(int ordinal, const std::string& library) {
  Result<Driver> driver = open_driver(library);
  if (!driver) return driver.error();
  auto runner = std::make_unique<Cuda>(std::move(*driver));
  if (auto error = runner->open(ordinal)) return *error;
  return std::unique_ptr<Runner>(std::move(runner));
}

}  // namespace bankshot::measure
