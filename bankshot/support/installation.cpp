#include "bankshot/support/installation.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace bankshot {

namespace fs = std::filesystem;

std::string own_file() {
  std::error_code code;
  Dl_info info{};
  void* found = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&own_file), &info, &found, RTLD_DL_LINKMAP) != 0 && found != nullptr) {
    const char* name = static_cast<const link_map*>(found)->l_name;  // empty for the program itself
    if (name != nullptr && *name != 0) return fs::absolute(name, code).string();
  }
  return fs::read_symlink("/proc/self/exe", code).string();
}

std::vector<std::string> data_folders(std::string_view name) {
  std::vector<std::string> folders;
  std::error_code code;
  const fs::path here = fs::canonical(own_file(), code).parent_path();
  // From bin, lib/bankshot and lib/x86_64-linux-gnu/bankshot.
  for (const char* relative :
       {"..", "../share/bankshot", "../../share/bankshot", "../../../share/bankshot", "../../.."}) {
    const fs::path folder = (here / relative / name).lexically_normal();
    if (!here.empty() && fs::is_directory(folder, code)) folders.push_back(folder.string());
  }
  return folders;
}

std::string library_folder() {
  const fs::path here = fs::path(own_file()).parent_path();
  std::error_code code;
  for (const char* relative : {".", "../lib", "../" BANKSHOT_LIBRARY_FOLDER}) {
    const fs::path library = (here / relative / "libbankshot.so").lexically_normal();
    if (fs::exists(library, code)) return library.parent_path().string();
  }
  return (here / "../lib").lexically_normal().string();
}

std::string kernel_folder() {
  const fs::path libraries = library_folder();
  std::error_code code;
  const fs::path installed = libraries / "kernels";
  return (fs::is_directory(installed, code) ? installed : libraries.parent_path() / "kernels").string();
}

}  // namespace bankshot
