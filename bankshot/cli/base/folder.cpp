#include "bankshot/cli/base/folder.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "bankshot/host/write_file.hpp"

namespace bankshot::cli {

std::optional<Error> cannot_use_folder(const std::string& folder, const std::string& file) {
  struct stat status{};
  if (stat(folder.c_str(), &status) != 0) return host::cannot_write(folder);
  return S_ISDIR(status.st_mode) ? host::cannot_write(folder + "/" + file) : Error{folder + " is not a folder"};
}

std::string place_in_folder(const std::string& folder, const std::string& file) {
  return folder + "/" + file.substr(file.rfind('/') + 1);
}

std::optional<Error> make_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return std::nullopt;
  return Error{"cannot make the folder " + folder + ": " + std::strerror(errno)};
}

}  // namespace bankshot::cli
