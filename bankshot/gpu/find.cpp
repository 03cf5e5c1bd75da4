// Where the descriptions lie.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/nearest_name.hpp"

namespace bankshot::gpu {
namespace {

namespace fs = std::filesystem;

std::string join(const std::vector<std::string>& items, const char* separator) {
  std::string all;
  for (const std::string& item : items) all += (all.empty() ? "" : separator) + item;
  return all;
}

Error not_toml(const std::string& file) {
  return Error{file + " is not the description of a GPU: the name of such a file must end in .toml"};
}

}  // namespace

std::vector<std::string> gpu_folders() {
  if (const char* folder = std::getenv("BANKSHOT_GPUS"); folder != nullptr && *folder != 0) return {folder};
  return data_folders("gpus");
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  std::error_code code;
  for (const std::string& folder : gpu_folders()) {
    for (const auto& entry : fs::directory_iterator(folder, code)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<std::string> find_gpu_file(const std::string& name_or_path) {
  std::error_code code;
  std::string small = name_or_path;  // "H100" is h100
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) {
    const fs::path path = fs::absolute(name_or_path, code).lexically_normal();
    if (!fs::exists(path, code)) return Error{"no such GPU file: " + name_or_path};
    if (!fs::is_directory(path, code) && path.extension() != ".toml") return not_toml(name_or_path);
    return path.string();
  }
  const std::vector<std::string> folders = gpu_folders();
  if (folders.empty()) {
    return Error{
        "the folder of GPU descriptions (gpus) was found neither beside the program nor in the source tree; set "
        "BANKSHOT_GPUS to that folder, or name a .toml file"};
  }
  for (const std::string& name : {name_or_path, small}) {
    for (const std::string& folder : folders) {
      const fs::path path = fs::absolute(fs::path(folder) / (name + ".toml"), code).lexically_normal();
      if (fs::is_regular_file(path, code)) return path.string();
    }
  }
  if (fs::is_regular_file(name_or_path, code)) return not_toml(name_or_path);
  const std::vector<std::string> names = gpu_names();
  return Error{"no GPU is called '" + name_or_path + "'; there are " + (names.empty() ? "none" : join(names, ", ")) +
               " (in " + join(folders, ", ") + ")" + did_you_mean(name_or_path, names)};
}

Result<Gpu> find_gpu(const std::string& name_or_path) {
  const Result<std::string> path = find_gpu_file(name_or_path);
  if (!path) return path.error();
  return load_gpu(*path);
}

}  // namespace bankshot::gpu
