#include "bankshot/cli/base/command.hpp"

#include <cstdio>

namespace bankshot::cli {

std::vector<CommandEntry>& commands() {
  static std::vector<CommandEntry> all;
  return all;
}

int refuse(const std::string& message) {
  std::fprintf(stderr, "bankshot: %s%s", message.c_str(), message.ends_with('\n') ? "" : "\n");
  return kBadInput;
}

}  // namespace bankshot::cli
