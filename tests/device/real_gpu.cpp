#include "tests/device/real_gpu.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bankshot/measure/buffer.hpp"
#include "bankshot/measure/driver.hpp"
#include "bankshot/measure/runner_cuda.hpp"

namespace bankshot::device {
namespace {

std::unique_ptr<measure::Runner> opened() {
  const char* const number = std::getenv("BANKSHOT_DEVICE");
  if (number == nullptr) return nullptr;
  auto gpu = measure::cuda_runner(std::atoi(number), measure::kDriverLibrary);
  if (!gpu) {
    fmt::print(stderr, "BANKSHOT_DEVICE={}: {}\n", number, gpu.error().message);
    std::exit(2);
  }
  const measure::Device& device = (*gpu)->device();
  fmt::print("on {}, compute capability {}.{}, {}\n", device.name, device.major, device.minor, device.driver);
  return std::move(*gpu);
}

/// From 9.0 on with the instructions that only this architecture has.
std::string for_gpu(const std::string& ptx, const measure::Device& device) {
  constexpr std::string_view kTarget = ".target ";
  const size_t at = ptx.find(kTarget) + kTarget.size();
  return ptx.substr(0, at) + fmt::format("sm_{}{}{}", device.major, device.minor, device.major >= 9 ? "a" : "") +
         ptx.substr(ptx.find('\n', at));
}

}  // namespace

measure::Runner* real_gpu() {
  static const std::unique_ptr<measure::Runner> gpu = opened();
  return gpu.get();
}

Outcome run(measure::Runner& gpu, const std::string& ptx, const std::vector<uint8_t>& in,
            const std::vector<uint8_t>& before, simt::Dim3 grid, simt::Dim3 block, std::optional<uint64_t> more) {
  if (auto error = gpu.load(for_gpu(ptx, gpu.device()))) return {error->message, "", {}};
  Outcome outcome{"", "", before};
  const auto failed = [&](const std::optional<Error>& error) {
    if (error) outcome.failed = error->message;
    return error.has_value();
  };
  const auto read = gpu.allocate(in.size());
  if (!read) return {"", read.error().message, {}};
  const measure::Buffer from(gpu, *read);
  const auto changed = gpu.allocate(before.size());
  if (!changed) return {"", changed.error().message, {}};
  const measure::Buffer to(gpu, *changed);
  std::vector<uint64_t> arguments = {from.address(), to.address()};
  if (more) arguments.push_back(*more);
  measure::Launch launch{"k", block, 0, std::as_bytes(std::span(arguments)), grid};
  if (!failed(gpu.copy_in(from.address(), std::as_bytes(std::span(in)))) &&
      !failed(gpu.copy_in(to.address(), std::as_bytes(std::span(before)))) && !failed(gpu.launch(launch))) {
    failed(gpu.copy_out(std::as_writable_bytes(std::span(outcome.out)), to.address()));
  }
  return outcome;
}

}  // namespace bankshot::device
