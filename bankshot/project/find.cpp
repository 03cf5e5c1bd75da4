#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "bankshot/project/project.hpp"
#include "bankshot/support/path_below.hpp"

namespace bankshot::project {
namespace {

namespace fs = std::filesystem;

Error not_below(const std::string& relative) {
  return Error{"'" + relative + "' is not below the folder of " + std::string(kFileName)};
}

std::optional<uid_t> owner_of(const fs::path& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? std::optional(status.st_uid) : std::nullopt;
}

/// Folders that anybody may write to, such as /tmp, can have files of others: those must not govern.
bool is_trusted(const fs::path& file, const fs::path& working_folder) {
  const std::optional<uid_t> owner = owner_of(file);
  return owner && (*owner == geteuid() || owner == owner_of(working_folder));
}

}  // namespace

std::string find_project(const std::string& folder) {
  std::error_code code;
  const fs::path own = fs::absolute(folder, code).lexically_normal();
  if (code) return {};
  fs::path found;
  for (fs::path at = own;; at = at.parent_path()) {
    if (found.empty() && fs::exists(at / kFileName, code) && is_trusted(at / kFileName, own)) found = at / kFileName;
    if (found.parent_path() == own || fs::exists(at / ".git", code)) return found.string();
    if (at == at.parent_path()) return {};  // not in a repository
  }
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
  Result<std::string> path = folder_in(project, relative);
  if (path && *path == project.folder) return not_below(relative);
  return path;
}

Result<std::string> folder_in(const Project& project, const std::string& relative) {
  std::error_code code;
  const fs::path named(relative);
  if (named.is_absolute())
    return Error{"'" + relative + "' must be relative to " + std::string(kFileName) + ", and below its folder"};
  fs::path path = fs::weakly_canonical(fs::path(project.folder) / named, code);
  if (code) return Error{"'" + relative + "': " + code.message()};
  if (!path.has_filename() && path.has_parent_path() && path != path.root_path()) path = path.parent_path();
  if (!path_below(path, project.folder)) return not_below(relative);
  if (fs::is_symlink(path, code)) return Error{"'" + relative + "' is a symbolic link that leads nowhere"};
  return path.string();
}

}  // namespace bankshot::project
