#include "bankshot/support/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace bankshot {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make() {
  const char* parent = std::getenv("TMPDIR");
  std::string path = std::string(parent != nullptr && *parent != 0 ? parent : "/tmp") + "/bankshot-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    return Error{"cannot create the folder " + path + ": " + std::strerror(errno) + "; " + kNeedsRoom};
  std::error_code code;
  return TemporaryFolder(fs::absolute(path, code).string());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code code;
  if (!path_.empty()) fs::remove_all(path_, code);
}

}  // namespace bankshot
