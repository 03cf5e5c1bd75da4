#include "bankshot/host/captured.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace bankshot::host {

Result<Captured> Captured::make() {
  const int file = memfd_create("captured", MFD_CLOEXEC);
  if (file < 0) return Error{std::string("cannot create a file in memory: ") + std::strerror(errno)};
  fcntl(file, F_SETFL, O_APPEND);
  return Captured(file);
}

Captured::~Captured() {
  if (descriptor_ >= 0) close(descriptor_);
}

Captured::Captured(Captured&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

std::string Captured::text() const {
  std::string all;
  char part[65536];
  for (ssize_t got; (got = pread(descriptor_, part, sizeof part, static_cast<off_t>(all.size()))) > 0;)
    all.append(part, static_cast<size_t>(got));
  return all;
}

}  // namespace bankshot::host
