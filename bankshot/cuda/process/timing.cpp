#include "bankshot/cuda/process/timing.hpp"

#include <cstdio>
#include <map>

#include "bankshot/cuda/process/request.hpp"

namespace bankshot::cuda {
namespace {

struct Timing {
  uint64_t launches = 0, warp_instructions = 0;
  simt::Compiled compiled;
  std::chrono::duration<double> seconds{};
};

class Timings {
 public:
  ~Timings() {
    for (const auto& [kernel, timing] : kernels) {
      std::fprintf(stderr, "bankshot: timing kernel=%s launches=%llu warp_instructions=%llu seconds=%.9f\n",
                   kernel.c_str(), static_cast<unsigned long long>(timing.launches),
                   static_cast<unsigned long long>(timing.warp_instructions), timing.seconds.count());
      const simt::Compiled& compiled = timing.compiled;
      if (!compiled.why_not.empty()) {
        std::fprintf(stderr, "bankshot: not compiled kernel=%s: %s\n", kernel.c_str(), compiled.why_not.c_str());
        continue;
      }
      uint64_t microseconds = 0;
      for (const simt::CompiledStretch& stretch : compiled.stretches) microseconds += stretch.microseconds;
      std::fprintf(stderr, "bankshot: compiled kernel=%s stretches=%zu microseconds=%llu warp_instructions=%llu\n",
                   kernel.c_str(), compiled.stretches.size(), static_cast<unsigned long long>(microseconds),
                   static_cast<unsigned long long>(compiled.warp_instructions));
    }
  }
  const bool wanted = process_request().time_launches;
  std::map<std::string, Timing> kernels;
};

}  // namespace

void time_launch(const std::string& kernel, const simt::LaunchStats& stats, std::chrono::steady_clock::duration taken) {
  static Timings timings;
  if (!timings.wanted) return;
  Timing& timing = timings.kernels[kernel];
  ++timing.launches;
  timing.warp_instructions += stats.warp_instructions;
  timing.seconds += taken;
  if (stats.compiled) timing.compiled.add(*stats.compiled);
}

}  // namespace bankshot::cuda
