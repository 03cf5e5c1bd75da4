// A worker process.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "bankshot/sweep/engines/engine.hpp"

namespace bankshot::sweep {
namespace {

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

int serve_tasks(int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a sweep that is killed leaves nothing running
  std::string buffer;
  char block[65536];
  while (true) {
    const size_t end = buffer.find('\n');
    if (end == std::string::npos) {
      const ssize_t got = recv(socket, block, sizeof block, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return 0;
      buffer.append(block, static_cast<size_t>(got));
      continue;
    }
    const Result<Task> task = task_from(std::string_view(buffer).substr(0, end));
    buffer.erase(0, end + 1);
    Outcome outcome;
    if (task)
      outcome = run_task(*task);
    else
      outcome.failure = "the task cannot be read: " + task.error().message;
    if (!send_all(socket, to_line(outcome) + "\n")) return 1;
  }
}

}  // namespace bankshot::sweep
