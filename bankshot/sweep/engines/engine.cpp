#include "bankshot/sweep/engines/engine.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace bankshot::sweep {

std::vector<EngineEntry>& engines() {
  static std::vector<EngineEntry> all;
  return all;
}

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace bankshot::sweep
