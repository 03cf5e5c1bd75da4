#include "bankshot/ptx/library_headers.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace bankshot::ptx {
namespace {

constexpr std::array<std::string_view, 5> kSystem{"/usr/include", "/usr/lib", "/usr/local/include", "/usr/local/lib",
                                                  "/opt/local/include"};
/// Folders of well-known libraries, below `include` or below a folder of the same name: include/cute, cub/cub.
constexpr std::array<std::string_view, 9> kLibraries{
    "bankshot", "cooperative_groups", "cub", "cuda", "cute", "cutlass", "nv", "thrust", "crt"};

/// Packages of Python with code that kernels are inlined from: toolkit headers, tl.sum.
constexpr std::array<std::string_view, 4> kPackages{"nvidia", "triton", "numba", "numba_cuda"};

/// The parts between slashes; "." is left out and ".." removes the part before it.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  return parts;
}

/// Whether the file is the root or below it. Absolute paths and roots agree in their first parts; a root that is not
/// absolute may lie anywhere in the path.
bool is_below(const std::vector<std::string_view>& file, bool absolute, std::string_view root) {
  const std::vector<std::string_view> folder = parts_of(root);
  if (folder.empty()) return false;
  if (root.starts_with('/'))
    return absolute && file.size() >= folder.size() && std::equal(folder.begin(), folder.end(), file.begin());
  const auto at = std::search(file.begin(), file.end(), folder.begin(), folder.end());
  return at != file.end();
}

/// "cuda", "cuda-12.4"
bool is_toolkit(std::string_view part) {
  return part == "cuda" || (part.starts_with("cuda-") && part.size() > 5 && part[5] >= '0' && part[5] <= '9');
}

}  // namespace

bool is_library_header(std::string_view file, const std::vector<std::string>& roots) {
  const std::vector<std::string_view> parts = parts_of(file);
  const bool absolute = file.starts_with('/');
  const auto below = [&](std::string_view root) { return is_below(parts, absolute, root); };
  if (std::ranges::any_of(kSystem, below) || std::ranges::any_of(roots, below)) return true;
  for (size_t k = 0; k + 2 < parts.size(); ++k) {
    const std::string_view outer = parts[k], inner = parts[k + 1];
    // cuda/include, cuda/targets/x86_64-linux/include, site-packages/nvidia/cuda_runtime/include
    if (is_toolkit(outer) && (inner == "include" || inner == "targets")) return true;
    if ((outer == "site-packages" || outer == "dist-packages") && std::ranges::count(kPackages, inner) != 0)
      return true;
    if (std::ranges::find(kLibraries, inner) != kLibraries.end() && (outer == "include" || outer == inner)) return true;
  }
  return false;
}

std::vector<std::string> folders_of(std::string_view list) {
  std::vector<std::string> folders;
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    std::string_view folder = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

void set_header_roots(const std::vector<std::string>& roots) {
  std::string list;
  for (const std::string& root : roots) list += (list.empty() ? "" : ":") + root;
  setenv(kHeaderRootsVariable, list.c_str(), 1);
}

const std::vector<std::string>& header_roots() {
  static const std::vector<std::string> roots = [] {
    const char* list = std::getenv(kHeaderRootsVariable);
    return folders_of(list == nullptr ? "" : list);
  }();
  return roots;
}

}  // namespace bankshot::ptx
