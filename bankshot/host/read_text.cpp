#include "bankshot/host/read_text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

namespace bankshot::host {

Result<std::string> read_text(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  in.peek();  // a folder opens but cannot be read
  if (!in && !in.eof()) return Error{file + " cannot be read: " + std::strerror(errno != 0 ? errno : EISDIR)};
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  return text.str();
}

}  // namespace bankshot::host
