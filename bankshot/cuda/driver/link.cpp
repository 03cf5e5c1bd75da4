// The linker of the driver interface, as far as programs use it to compile one PTX text: what it makes is that text, which
// cuModuleLoadData takes as it would take machine code.
#include <memory>
#include <string>
#include <unordered_map>

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/driver/jit_log.hpp"
#include "bankshot/cuda/say.hpp"

namespace bankshot::cuda::driver {
namespace {

/// A pending link. Its address is the handle.
struct Link {
  std::string image;
};

/// Requires the session's lock.
std::unordered_map<const Link*, std::unique_ptr<Link>>& links() {
  static auto& all = *new std::unordered_map<const Link*, std::unique_ptr<Link>>;
  return all;
}

}  // namespace

BANKSHOT_API(cuLinkCreate_v2)(unsigned count, int* options, void** values, Link** link) {
  return call([&](Session&) {
    if (!link) return Status::invalid_value;
    auto fresh = std::make_unique<Link>();
    *link = fresh.get();
    links()[*link] = std::move(fresh);
    empty_logs(count, options, values);
    return Status::success;
  });
}

BANKSHOT_API(cuLinkAddData_v2)
(Link* link, int kind, const void* data, size_t size, const char*, unsigned, int*, void**) {
  constexpr int kPtx = 1, kFatBinary = 2;
  return call([&](Session&) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!data || size == 0) return Status::invalid_value;
    if (kind != kPtx && kind != kFatBinary) {
      say("cuLinkAddData: only PTX and fat binaries can be linked, as machine code runs on a GPU only");
      return Status::no_binary_for_gpu;
    }
    if (!link->image.empty()) {
      say("cuLinkAddData: linking several inputs is not supported");
      return Status::not_supported;
    }
    link->image.assign(static_cast<const char*>(data), size);
    return Status::success;
  });
}

/// @param image  valid until cuLinkDestroy
BANKSHOT_API(cuLinkComplete)(Link* link, void** image, size_t* size) {
  return call([&](Session&) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!image || link->image.empty()) return Status::invalid_value;
    *image = link->image.data();
    if (size) *size = link->image.size();
    return Status::success;
  });
}

BANKSHOT_API(cuLinkDestroy)(Link* link) {
  return call([&](Session&) { return links().erase(link) ? Status::success : Status::invalid_handle; });
}

}  // namespace bankshot::cuda::driver
