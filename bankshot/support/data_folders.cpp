#include "bankshot/support/data_folders.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace bankshot {
namespace {

namespace fs = std::filesystem;

/// The program or shared library that holds this code, or empty.
fs::path self() {
  std::error_code code;
  Dl_info info{};
  void* found = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&self), &info, &found, RTLD_DL_LINKMAP) != 0 && found != nullptr) {
    const char* name = static_cast<const link_map*>(found)->l_name;  // empty for the program itself
    if (name != nullptr && *name != 0) return fs::canonical(name, code);
  }
  return fs::read_symlink("/proc/self/exe", code);
}

}  // namespace

std::vector<std::string> data_folders(std::string_view name) {
  std::vector<std::string> folders;
  const fs::path here = self().parent_path();
  std::error_code code;
  for (const char* relative : {"..", "../share/bankshot", "../../.."}) {
    const fs::path folder = (here / relative / name).lexically_normal();
    if (!here.empty() && fs::is_directory(folder, code)) folders.push_back(folder.string());
  }
  return folders;
}

}  // namespace bankshot
