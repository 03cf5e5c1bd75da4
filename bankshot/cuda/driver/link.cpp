// The linker of the driver interface: what it makes is PTX, which cuModuleLoadData takes as it would take machine code. One
// input is left as it is.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/driver/jit_log.hpp"
#include "bankshot/cuda/modules.hpp"
#include "bankshot/cuda/say.hpp"

namespace bankshot::cuda::driver {
namespace {

/// A pending link. Its address is the handle.
struct Link {
  std::vector<LinkInput> inputs;
  std::string image;  ///< what was made of them
  JitLog log;
};

/// Requires the session's lock.
std::unordered_map<const Link*, std::unique_ptr<Link>>& links() {
  static auto& all = *new std::unordered_map<const Link*, std::unique_ptr<Link>>;
  return all;
}

constexpr int kPtx = 1, kFatBinary = 2, kLibrary = 4;  // CUjitInputType

Status add(Link& link, int kind, const char* name, std::string image) {
  if (kind != kPtx && kind != kFatBinary) {
    say("cuLinkAddData: only PTX and fat binaries can be linked, as machine code runs on a GPU only");
    return Status::no_binary_for_gpu;
  }
  link.inputs.push_back({name ? name : "input " + std::to_string(link.inputs.size() + 1), std::move(image)});
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
  return call([&](Session&) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!data || size == 0) return Status::invalid_value;
    return add(*link, kind, name, {static_cast<const char*>(data), size});
  });
}

/// The device runtime's library needs not be there: its part is the engine's.
BANKSHOT_API(cuLinkAddFile_v2)(Link* link, int kind, const char* path, unsigned, int*, void**) {
  return call([&](Session&) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!path) return Status::invalid_value;
    if (kind == kLibrary && std::string_view(path).ends_with("libcudadevrt.a")) return Status::success;
    std::ifstream file(path, std::ios::binary);
    if (!file) return Status::file_not_found;
    return add(*link, kind, path, {std::istreambuf_iterator<char>(file), {}});
  });
}

/// @param image  valid until cuLinkDestroy
BANKSHOT_API(cuLinkComplete)(Link* link, void** image, size_t* size) {
  return call([&](Session&) {
    if (!links().contains(link)) return Status::invalid_handle;
    if (!image || link->inputs.empty()) return Status::invalid_value;
    if (link->inputs.size() == 1) {
      link->image = link->inputs.front().image;
    } else {
      auto linked = link_images(link->inputs);
      link->log.write(linked ? "" : linked.error().log);
      if (!linked && !link->log.wanted()) say(linked.error().log);
      if (!linked) return linked.error().status;
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
