#include "bankshot/cli/code_place.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>

namespace bankshot::cli {
namespace {

/// For a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string code_place(const std::string& file, uint64_t offset) {
  const std::string command = fmt::format("addr2line -C -f -s -e {} {:#x} 2>/dev/null", quoted(file), offset);
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string lines[2];
  std::array<char, 4096> buffer;
  for (std::string& line : lines) {
    if (std::fgets(buffer.data(), buffer.size(), pipe) == nullptr) break;
    line = buffer.data();
    while (!line.empty() && line.back() == '\n') line.pop_back();
  }
  pclose(pipe);
  const std::string& function = lines[0];
  const std::string where = lines[1].substr(0, lines[1].find(" ("));  // it may add a discriminator
  if (function.empty() || function == "??") return {};
  return where.empty() || where.starts_with("??") ? function : function + " (" + where + ")";
}

}  // namespace bankshot::cli
