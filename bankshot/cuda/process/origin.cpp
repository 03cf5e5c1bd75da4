#include "bankshot/cuda/process/origin.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include <string_view>

namespace bankshot::cuda {

Origin origin_of(const void* address) {
  Dl_info info{};
  void* map = nullptr;
  if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return {program_invocation_short_name, false};
  const std::string_view path = static_cast<const link_map*>(map)->l_name;
  if (path.empty()) return {program_invocation_short_name, true};
  return {std::string(path.substr(path.rfind('/') + 1)), false};
}

}  // namespace bankshot::cuda
