#include "bankshot/gpu/machine_code.hpp"

#include <algorithm>
#include <array>

namespace bankshot::gpu {

bool machine_code_only(std::string_view library) {
  constexpr std::array<std::string_view, 11> kPrefixes = {
      "libcublas", "libcufft", "libcusparse", "libcusolver", "libcurand",  "libnpp",
      "libcudnn",  "libnccl",  "libnvjpeg",   "libcutensor", "libnvshmem",
  };
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return library.starts_with(p); });
}

}  // namespace bankshot::gpu
