#include "bankshot/cuda/launch/launch_request.hpp"

#include <algorithm>
#include <cstring>

namespace bankshot::cuda {

std::vector<std::byte> pack(const simt::KernelInfo& kernel, const LaunchRequest& request) {
  std::vector<std::byte> buffer(kernel.param_bytes);
  if (request.arguments)
    for (size_t i = 0; i < kernel.params.size(); ++i)
      std::memcpy(buffer.data() + kernel.params[i].offset, request.arguments[i], kernel.params[i].size);
  else
    std::memcpy(buffer.data(), request.packed.data(), std::min(buffer.size(), request.packed.size()));
  return buffer;
}

}  // namespace bankshot::cuda
