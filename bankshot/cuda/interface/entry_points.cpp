#include "bankshot/cuda/interface/entry_points.hpp"

#include <dlfcn.h>

#include <string_view>

namespace bankshot::cuda {
namespace {

struct Variant {
  const char* name;
  int since;
  const char* symbol;
};

constexpr Variant kVariants[] = {
#define BANKSHOT_VERSION(name, since, symbol) {#name, since, #symbol},
#include "bankshot/cuda/interface/versions.def"
#undef BANKSHOT_VERSION
};

/// The library with the exported names, which lies beside this one; in a program that uses the runtime interface only
/// it is not loaded before this.
void* driver_library() {
  static void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  return library;
}

}  // namespace

void* entry_point(const char* name, int version) {
  if (!std::string_view(name).starts_with("cu")) return nullptr;  // dlsym would look in libc as well
  const char* symbol = name;
  for (const Variant& variant : kVariants)  // variants of a name follow each other, oldest first
    if (variant.since <= version && std::string_view(name) == variant.name) symbol = variant.symbol;
  void* library = driver_library();
  return library ? dlsym(library, symbol) : nullptr;
}

}  // namespace bankshot::cuda
