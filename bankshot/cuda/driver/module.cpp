// Modules, libraries and functions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/driver/jit_log.hpp"
#include "bankshot/cuda/launch/function_attributes.hpp"
#include "bankshot/cuda/modules/fatbin.hpp"
#include "bankshot/cuda/process/origin.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/gpu/machine_code.hpp"

namespace bankshot::cuda::driver {
namespace {

/// How long an image in memory is: its own headers say, and PTX ends with a NUL.
std::string image_at(const void* image) {
  const auto* text = static_cast<const char*>(image);
  if (static_cast<unsigned char>(text[0]) == 0x50) {  // first byte of a container; no PTX text begins with 'P'
    if (const size_t extent = container_extent(image)) return {text, extent};
  }
  if (text[0] == 0x7f) return {text, 4};  // machine code: refused by its magic number, its length does not matter
  return text;
}

Status load_module(Session& session, Module** module, std::unique_ptr<Module> fresh, JitLog log) {
  const bool is_library = gpu::machine_code_only(fresh->label);
  const Status status = load(session.load_target(), *fresh, log.wanted() || is_library);
  log.write(fresh->log);
  if (is_library && status != Status::success)
    say_once(fresh->label,
             fmt::format("{} was called; its kernels are machine code, which needs a GPU, so it fails: compute "
                         "this part on the CPU or with a kernel of your own",
                         fresh->label));
  if (status != Status::success) return status;
  *module = &session.modules().add(std::move(fresh));
  return Status::success;
}

/// @param call    that the program gave it to, for messages
/// @param caller  an address of the file that did; a library of NVIDIA's is named
std::unique_ptr<Module> module_of_image(const void* image, const char* call, const void* caller) {
  auto module = std::make_unique<Module>();
  uint32_t magic = 0;
  if (static_cast<const unsigned char*>(image)[0] == 0xb1) std::memcpy(&magic, image, sizeof magic);
  if (magic == kWrapperMagic)  // what bin2c and -fatbin give to be linked in
    module->wrapper = image;
  else
    module->image = image_at(image);
  std::string file = origin_of(caller).file;
  module->label = gpu::machine_code_only(file) ? std::move(file) : fmt::format("PTX given to {}", call);
  return module;
}

Status unload(Session& session, Module* module) {
  if (!session.modules().contains(module)) return Status::invalid_handle;
  session.modules().remove(module);
  return Status::success;
}

Status get_function(Session& session, Function** function, Module* module, const char* name) {
  if (!function || !name) return Status::invalid_value;
  if (!session.modules().contains(module)) return Status::invalid_handle;
  if (const Status status = load(session.load_target(), *module); status != Status::success) return status;
  *function = find_function(*module, name);
  return *function ? Status::success : Status::not_found;
}

Status get_global(Session& session, DevicePointer* address, size_t* size, Module* module, const char* name) {
  if (!name) return Status::invalid_value;
  if (!session.modules().contains(module)) return Status::invalid_handle;
  if (const Status status = load(session.load_target(), *module); status != Status::success) return status;
  const Variable* variable = find_variable(*module, name);
  if (!variable) return Status::not_found;
  if (address) *address = variable->info->address;
  if (size) *size = variable->info->size;
  return Status::success;
}

std::optional<std::string> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Status load_file(Session& session, Module** module, const char* path) {
  if (!module || !path) return Status::invalid_value;
  auto image = read_file(path);
  if (!image) return Status::file_not_found;
  auto fresh = std::make_unique<Module>();
  fresh->image = std::move(*image);
  fresh->label = path;
  return load_module(session, module, std::move(fresh), {0, nullptr, nullptr});
}

Status load_data(const char* name, const void* caller, Module** module, const void* image, JitLog log) {
  return call([&](Session& session) {
    if (!module || !image) return Status::invalid_value;
    return load_module(session, module, module_of_image(image, name, caller), log);
  });
}

}  // namespace

BANKSHOT_API(cuModuleLoadDataEx)(Module** module, const void* image, unsigned count, int* options, void** values) {
  return load_data("cuModuleLoadDataEx", __builtin_return_address(0), module, image, {count, options, values});
}

BANKSHOT_API(cuModuleLoadData)(Module** module, const void* image) {
  return load_data("cuModuleLoadData", __builtin_return_address(0), module, image, {0, nullptr, nullptr});
}

BANKSHOT_API(cuModuleLoadFatBinary)(Module** module, const void* image) {
  return load_data("cuModuleLoadFatBinary", __builtin_return_address(0), module, image, {0, nullptr, nullptr});
}

BANKSHOT_API(cuModuleLoad)(Module** module, const char* path) {
  return call([&](Session& session) { return load_file(session, module, path); });
}

BANKSHOT_API(cuModuleUnload)(Module* module) {
  return call([&](Session& session) { return unload(session, module); });
}

BANKSHOT_API(cuModuleGetFunction)(Function** function, Module* module, const char* name) {
  return call([&](Session& session) { return get_function(session, function, module, name); });
}

BANKSHOT_API(cuModuleGetGlobal_v2)(DevicePointer* address, size_t* size, Module* module, const char* name) {
  return call([&](Session& session) { return get_global(session, address, size, module, name); });
}

BANKSHOT_API(cuModuleGetFunctionCount)(unsigned* count, Module* module) {
  return call([&](Session& session) {
    if (!session.modules().contains(module)) return Status::invalid_handle;
    return give(count, module->functions.size());
  });
}

BANKSHOT_API(cuModuleEnumerateFunctions)(Function** functions, unsigned count, Module* module) {
  return call([&](Session& session) {
    if (!functions) return Status::invalid_value;
    if (!session.modules().contains(module)) return Status::invalid_handle;
    for (auto& [name, function] : module->functions) {
      if (count-- == 0) break;
      *functions++ = function.get();
    }
    return Status::success;
  });
}

BANKSHOT_API(cuModuleGetLoadingMode)(int* mode) { return give(mode, 2); }  // lazy

// A library is a module that belongs to no context, so none need be current; a kernel is a function.

/// cuLibraryLoadData for an address of the file that calls it, which may do so through the runtime interface.
extern "C" Status bankshot_load_library(const void* caller, Module** library, const void* image, int* options,
                                        void** values, unsigned count) {
  return call_anywhere([&](Session& session) {
    if (!library || !image) return Status::invalid_value;
    return load_module(session, library, module_of_image(image, "cuLibraryLoadData", caller), {count, options, values});
  });
}

BANKSHOT_API(cuLibraryLoadData)
(Module** library, const void* image, int* options, void** values, unsigned count, int*, void**, unsigned) {
  return bankshot_load_library(__builtin_return_address(0), library, image, options, values, count);
}

BANKSHOT_API(cuLibraryLoadFromFile)
(Module** library, const char* path, int*, void**, unsigned, int*, void**, unsigned) {
  return call_anywhere([&](Session& session) { return load_file(session, library, path); });
}

BANKSHOT_API(cuLibraryUnload)(Module* library) {
  return call_anywhere([&](Session& session) { return unload(session, library); });
}

BANKSHOT_API(cuLibraryGetKernel)(Function** kernel, Module* library, const char* name) {
  return call_anywhere([&](Session& session) { return get_function(session, kernel, library, name); });
}

BANKSHOT_API(cuLibraryGetModule)(Module** module, Module* library) {
  return call_anywhere([&](Session& session) {
    return session.modules().contains(library) ? give(module, library) : Status::invalid_handle;
  });
}

BANKSHOT_API(cuLibraryGetGlobal)(DevicePointer* address, size_t* size, Module* library, const char* name) {
  return call_anywhere([&](Session& session) { return get_global(session, address, size, library, name); });
}

BANKSHOT_API(cuLibraryGetManaged)(DevicePointer* address, size_t* size, Module* library, const char* name) {
  return call_anywhere([&](Session& session) { return get_global(session, address, size, library, name); });
}

BANKSHOT_API(cuLibraryGetKernelCount)(unsigned* count, Module* library) {
  return bankshot_cuModuleGetFunctionCount(count, library);
}

BANKSHOT_API(cuLibraryEnumerateKernels)(Function** kernels, unsigned count, Module* library) {
  return bankshot_cuModuleEnumerateFunctions(kernels, count, library);
}

}  // namespace bankshot::cuda::driver
