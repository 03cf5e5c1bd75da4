// The linker of the driver interface: what it makes is PTX, which cuModuleLoadData takes as it would take machine code.
// One input is left as it is.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/driver/jit_log.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/ptx/link.hpp"

namespace bankshot::cuda::driver {
namespace {

/// A pending link. Its address is the handle.
struct Link {
  std::vector<ptx::Unit> inputs;
  std::string image;  ///< what was made of them; of one input itself
  JitLog log;
};

/// Requires the session's lock.
std::unordered_map<const Link*, std::unique_ptr<Link>>& links() {
  static auto& all = *new std::unordered_map<const Link*, std::unique_ptr<Link>>;
  return all;
}

constexpr int kCubin = 0, kPtx = 1, kFatBinary = 2, kLibrary = 4;  // CUjitInputType

/// Tells what is wrong, to the program if it wants to know. @return the status
Status fail(Link& link, const LinkFailure& failure) {
  link.log.write(failure.log);
  if (!link.log.wanted()) say(failure.log);
  return failure.status;
}

/// The device runtime's library need not be there: its part is the engine's.
bool is_device_runtime_library(int kind, const char* name) {
  return kind == kLibrary && name != nullptr && std::string_view(name).ends_with("libcudadevrt.a");
}

/// What is said to be machine code may be PTX: it is what NVRTC gives here (embedded/preload.cpp).
Status add(const DeviceInfo& device, Link& link, int kind, const char* name, std::string image) {
  if (is_device_runtime_library(kind, name)) return Status::success;
  if (kind != kCubin && kind != kPtx && kind != kFatBinary)
    return fail(link, {Status::no_binary_for_gpu,
                       "the linker accepts PTX and fat binaries with PTX, not objects, libraries or NVVM"});
  auto unit = read_link_input(device, name ? name : "input " + std::to_string(link.inputs.size() + 1), image);
  if (!unit) return fail(link, unit.error());
  if (link.inputs.empty()) link.image = std::move(image);
  link.inputs.push_back(std::move(*unit));
  return Status::success;
}

}  // namespace

BANKSHOT_API(cuLinkCreate_v2)(unsigned count, int* options, void** values, Link** link) {
  return call([&](Session&) {
    if (!link) return Status::invalid_value;
    auto fresh = std::make_unique<Link>(Link{{}, {}, {count, options, values}});
    *link = fresh.get();
    links()[*link] = std::move(fresh);
    return Status::success;
  });
}

BANKSHOT_API(cuLinkAddData_v2)
(Link* link, int kind, const void* data, size_t size, const char* name, unsigned, int*, void**) {
  return call([&](Session& session) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!data || size == 0) return Status::invalid_value;
    return add(session.device(), *link, kind, name, {static_cast<const char*>(data), size});
  });
}

BANKSHOT_API(cuLinkAddFile_v2)(Link* link, int kind, const char* path, unsigned, int*, void**) {
  return call([&](Session& session) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!path) return Status::invalid_value;
    if (is_device_runtime_library(kind, path)) return Status::success;
    std::ifstream file(path, std::ios::binary);
    if (!file) return Status::file_not_found;
    return add(session.device(), *link, kind, path, {std::istreambuf_iterator<char>(file), {}});
  });
}

/// @param image  valid until cuLinkDestroy
BANKSHOT_API(cuLinkComplete)(Link* link, void** image, size_t* size) {
  return call([&](Session&) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!image || link->inputs.empty()) return Status::invalid_value;
    if (link->inputs.size() > 1) {
      auto linked = link_inputs(std::exchange(link->inputs, {}));
      if (!linked) return fail(*link, linked.error());
      link->log.write("");
      link->image = std::move(*linked);
    }
    *image = link->image.data();
    if (size) *size = link->image.size();
    return Status::success;
  });
}

BANKSHOT_API(cuLinkDestroy)(Link* link) {
  return call([&](Session&) { return links().erase(link) ? Status::success : Status::invalid_handle; });
}

}  // namespace bankshot::cuda::driver
