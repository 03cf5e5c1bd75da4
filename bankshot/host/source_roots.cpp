#include "bankshot/host/source_roots.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bankshot/support/path_below.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;

/// The file system's root, the user's home, or a folder around it.
bool is_too_wide(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  std::error_code code;
  return !folder.has_relative_path() ||
         (home != nullptr && *home != 0 && path_below(fs::weakly_canonical(home, code), folder));
}

/// CMAKE_HOME_DIRECTORY of a build folder; empty if it is none.
fs::path built_from(const fs::path& folder) {
  std::ifstream cache(folder / "CMakeCache.txt");
  std::error_code code;
  constexpr std::string_view kKey = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  for (std::string line; std::getline(cache, line);) {
    if (line.starts_with(kKey)) return fs::weakly_canonical(line.substr(kKey.size()), code);
  }
  return {};
}

/// The top of the project that a folder belongs to; the folder itself if there are no signs of one.
fs::path project_of(const fs::path& folder) {
  std::error_code code;
  for (fs::path at = folder; !is_too_wide(at); at = at.parent_path()) {
    if (fs::exists(at / ".git", code)) return at;
    const fs::path source = built_from(at);
    if (!source.empty() && path_below(at, source) && !is_too_wide(source)) return source;
  }
  return folder;
}

}  // namespace

std::vector<std::string> source_roots(const std::string& program) {
  std::error_code code;
  std::vector<fs::path> folders = {fs::current_path(code)};
  const fs::path file = fs::weakly_canonical(program, code);
  if (fs::exists(file, code)) folders.push_back(file.parent_path());
  std::vector<std::string> roots;
  for (const fs::path& folder : folders) {
    const std::string root = project_of(folder).string();
    if (fs::path(root).has_relative_path() && std::ranges::find(roots, root) == roots.end()) roots.push_back(root);
  }
  return roots;
}

}  // namespace bankshot::host
