#include "bankshot/cuda/process/patches.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

std::string path_in(const char* variable, const std::string& digest) {
  const char* folder = std::getenv(variable);
  return folder == nullptr || *folder == 0 ? "" : std::string(folder) + "/" + digest + ".ptx";
}

}  // namespace

std::optional<Patch> patch_of(const std::string& digest) {
  const std::string path = path_in("BANKSHOT_PATCH_DIR", digest);
  if (path.empty()) return std::nullopt;
  std::error_code code;
  const std::string folder = std::getenv("BANKSHOT_PATCH_DIR");
  if (!std::filesystem::is_directory(folder, code)) {
    say_once(folder, "BANKSHOT_PATCH_DIR is \"" + folder + "\" and not a folder: nothing is replaced");
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return Patch{path, std::string(std::istreambuf_iterator<char>(file), {})};
}

void keep_ptx(const std::string& digest, const std::string& text) {
  const std::string path = path_in("BANKSHOT_PTX_DIR", digest);
  if (path.empty()) return;
  const std::string beside = path + "." + std::to_string(getpid());  // several processes load the same module
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(beside.c_str(), path.c_str()) != 0) say_once(path, path + " cannot be written");
}

}  // namespace bankshot::cuda
