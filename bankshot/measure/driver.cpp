#include "bankshot/measure/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace bankshot::measure {

std::string Driver::text_of(int error) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(error, &name) != 0 || !name) name = "an error that it has no name for";
  if (cuGetErrorString(error, &text) != 0 || !text) text = "no reason given";
  return fmt::format("{} ({}, {})", text, name, error);
}

Result<Driver> open_driver(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return Error{
        fmt::format("no NVIDIA driver: {}. To measure a real GPU install its driver, or name its library with "
                    "--driver; to measure a simulated one: --backend simulate",
                    dlerror())};
  }
  // Only our own driver has this function. Without the simulator it executes and has no clock.
  const auto simulates = reinterpret_cast<bool (*)()>(dlsym(handle, "bankshot_simulates"));
  if (simulates && !simulates()) {
    dlclose(handle);
    return Error{library +
                 " is Bankshot's own: there is no GPU behind it. To measure a simulated one: --backend simulate"};
  }
  Driver driver;
  driver.library = library;
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto& pointer) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(dlsym(handle, name));
    if (!pointer && !missing) missing = name;
  };
#define BANKSHOT_DRIVER_FIND(name, ...) find(#name, driver.name);
  BANKSHOT_DRIVER_CALLS(BANKSHOT_DRIVER_FIND)
#undef BANKSHOT_DRIVER_FIND
  if (missing) {
    dlclose(handle);
    return Error{
        fmt::format("{} has no function {}: it is not a CUDA driver, or it is older than CUDA 7; install a newer one",
                    library, missing)};
  }
  return driver;
}

}  // namespace bankshot::measure
