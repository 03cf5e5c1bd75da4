#include "bankshot/cuda/process/timing.hpp"

#include <cstdio>
#include <map>

#include "bankshot/cuda/process/request.hpp"

namespace bankshot::cuda {
namespace {

struct Timing {
  uint64_t launches = 0, warp_instructions = 0;
  uint32_t stretches = 0;
  std::chrono::duration<double> seconds{};
};

class Timings {
 public:
  ~Timings() {
    for (const auto& [kernel, timing] : kernels) {
      std::fprintf(stderr, "bankshot: timing kernel=%s launches=%llu warp_instructions=%llu seconds=%.9f\n",
                   kernel.c_str(), static_cast<unsigned long long>(timing.launches),
                   static_cast<unsigned long long>(timing.warp_instructions), timing.seconds.count());
      if (timing.stretches != 0)
        std::fprintf(stderr, "bankshot: compiled kernel=%s stretches=%u\n", kernel.c_str(), timing.stretches);
    }
  }
  const bool wanted = process_request().time_launches;
  std::map<std::string, Timing> kernels;
};

}  // namespace

void time_launch(const std::string& kernel, uint64_t warp_instructions, uint32_t stretches,
                 std::chrono::steady_clock::duration taken) {
  static Timings timings;
  if (!timings.wanted) return;
  Timing& timing = timings.kernels[kernel];
  ++timing.launches;
  timing.warp_instructions += warp_instructions;
  timing.seconds += taken;
  timing.stretches = stretches;
}

}  // namespace bankshot::cuda
