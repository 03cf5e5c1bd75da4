#include "bankshot/host/read_text.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

namespace bankshot::host {

namespace {

constexpr size_t kMostBytes = size_t{1} << 30;  // of devices such as /dev/zero there is no end

}  // namespace

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
  std::string all;
  std::vector<char> part(1 << 16);
  while (in.read(part.data(), static_cast<std::streamsize>(part.size())), in.gcount() > 0) {
    all.append(part.data(), static_cast<size_t>(in.gcount()));
    if (all.size() > kMostBytes) return Error{file + " has more than 1 GiB, which is not read"};
  }
  return all;
}

}  // namespace bankshot::host
