// A worker process.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "bankshot/sweep/engines/engine.hpp"

namespace bankshot::sweep {
int serve_tasks(int socket) {
  // A sweep that is killed leaves nothing running: the worker leads a group of all that its points started.
  struct sigaction end{};
  end.sa_handler = [](int) { kill(0, SIGKILL); };
  sigaction(SIGUSR2, &end, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
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
