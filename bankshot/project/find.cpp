#include <filesystem>

#include "bankshot/project/project.hpp"

namespace bankshot::project {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path below = path.lexically_relative(folder);
  return !below.empty() && *below.begin() != ".." && below != ".";
}

}  // namespace

std::string find_project(const std::string& folder) {
  std::error_code code;
  for (fs::path at = fs::absolute(folder, code).lexically_normal(); !code; at = at.parent_path()) {
    if (fs::is_regular_file(at / kFileName, code)) return (at / kFileName).string();
    if (fs::exists(at / ".git", code) || at == at.parent_path()) break;
    code.clear();
  }
  return {};
}

std::string folder_of(const std::string& file) {
  std::error_code code;
  const fs::path own = fs::weakly_canonical(fs::absolute(file, code), code).parent_path();
  for (fs::path at = own;; at = at.parent_path()) {
    if (fs::exists(at / kFileName, code) || fs::exists(at / ".git", code)) return at.string();
    if (at == at.parent_path()) return own.string();
  }
}

Result<std::string> path_in(const Project& project, const std::string& relative) {
  std::error_code code;
  const fs::path named(relative);
  if (named.is_absolute())
    return Error{"'" + relative + "' must be relative to " + std::string(kFileName) + ", and below its folder"};
  const fs::path path = fs::weakly_canonical(fs::path(project.folder) / named, code);
  if (code) return Error{"'" + relative + "': " + code.message()};
  if (!lies_in(path, project.folder))
    return Error{"'" + relative + "' is not below the folder of " + std::string(kFileName)};
  return path.string();
}

}  // namespace bankshot::project
