#include "bankshot/support/find_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace bankshot {

std::string find_in(std::string_view folders, const std::string& name) {
  while (!folders.empty()) {
    const size_t colon = std::min(folders.find(':'), folders.size());
    const std::string candidate = std::string(folders.substr(0, colon)) + "/" + name;
    std::error_code code;
    if (colon != 0 && std::filesystem::is_regular_file(candidate, code) && access(candidate.c_str(), X_OK) == 0)
      return candidate;
    folders.remove_prefix(std::min(colon + 1, folders.size()));
  }
  return {};
}

std::string find_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  return find_in(path != nullptr ? path : "", name);
}

}  // namespace bankshot
