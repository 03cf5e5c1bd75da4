#include "bankshot/cli/commands/code_place.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <vector>

#include "bankshot/host/shell.hpp"

namespace bankshot::cli {
namespace {

/// cuda_runtime.h wraps calls of C in templates.
bool is_wrapper(const std::string& function, const std::string& where) {
  return where.starts_with("cuda_runtime") || function.find("cudaMalloc") != std::string::npos ||
         function.find("cudaError ") != std::string::npos;
}

}  // namespace

std::string code_place(const std::string& file, uint64_t offset) {
  const std::string command =
      fmt::format("addr2line -C -f -i -s -e {} {:#x} 2>/dev/null", host::shell_word(file), offset);
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::vector<std::string> lines;
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    lines.emplace_back(buffer.data());
    while (!lines.back().empty() && lines.back().back() == '\n') lines.back().pop_back();
  }
  pclose(pipe);
  // Two lines for each function, the innermost first.
  for (size_t k = 0; k + 1 < lines.size(); k += 2) {
    const std::string& function = lines[k];
    const std::string where = lines[k + 1].substr(0, lines[k + 1].find(" ("));  // it may add a discriminator
    if (function.empty() || function == "??" || is_wrapper(function, where)) continue;
    const bool known =
        !where.empty() && !where.starts_with("??") && where.find(":?") == std::string::npos && !where.ends_with(":0");
    return known ? function + " (" + where + ")" : function;
  }
  return {};
}

}  // namespace bankshot::cli
