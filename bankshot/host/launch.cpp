#include "bankshot/host/launch.hpp"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bankshot/host/signals.hpp"
#include "bankshot/support/installation.hpp"

namespace bankshot::host {
namespace {

std::vector<std::string> changed(const cuda::EnvironmentChanges& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (value) all.push_back(name + "=" + *value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// In the child: becomes the program, or tells the parent why not.
[[noreturn]] void become(const char* path, char* const* arguments, char* const* environment,
                         const LaunchOptions& options, int why, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // else the program could not be stopped if we were killed outright
  if (getppid() == parent) {
    const int error =
        options.error == STDERR_FILENO ? STDERR_FILENO : dup(options.error);  // output may be our standard error
    dup2(options.output, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    if (error != STDERR_FILENO) close(error);
    if (options.fixed_addresses) personality(ADDR_NO_RANDOMIZE);
    execve(path, arguments, environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(why, &error, sizeof error);
  _exit(127);
}

/// A program that is killed leaves what it told of its progress right of the cursor, and the terminal may add ^C.
void tidy_terminal(int signal) {
  const std::string_view text = signal == SIGINT ? "\033[K\n" : "\033[K";
  if (isatty(STDERR_FILENO) == 0) return;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

std::string prepended(const char* name, const std::string& first, char separator) {
  const char* before = std::getenv(name);
  return before == nullptr || *before == 0 ? first : first + separator + before;
}

}  // namespace

void add_libraries(cuda::EnvironmentChanges& environment, const Target& target, const std::string& libraries) {
  environment["LD_LIBRARY_PATH"] = prepended("LD_LIBRARY_PATH", libraries, ':');
  std::string preload;
  for (const std::string& library : target.preload) {
    // The loader parts this list at spaces, too; a name without a folder it looks for in LD_LIBRARY_PATH.
    const size_t folder = library.find(' ') == std::string::npos ? 0 : library.rfind('/') + 1;
    preload += (preload.empty() ? "" : ":") + library.substr(folder);
  }
  if (!preload.empty()) environment["LD_PRELOAD"] = prepended("LD_PRELOAD", preload, ':');
}

void add_python(cuda::EnvironmentChanges& environment) {
  if (const std::string program = own_file(); !program.empty()) environment["BANKSHOT_PROGRAM"] = program;
  if (const auto start = data_folders("python/site"); !start.empty())
    environment["PYTHONPATH"] = prepended("PYTHONPATH", start[0] + ":" + start[0].substr(0, start[0].rfind('/')), ':');
  if (const auto tools = data_folders("tools/stand_in"); !tools.empty())
    environment["TRITON_PTXAS_PATH"] = environment["TRITON_PTXAS_BLACKWELL_PATH"] = tools[0] + "/ptxas";
}

Result<Ending> launch(const Target& target, const cuda::EnvironmentChanges& environment, const LaunchOptions& options) {
  std::vector<std::string> arguments = target.arguments, variables = changed(environment);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(variables);
  int why[2];
  if (pipe2(why, O_CLOEXEC) != 0) return Error{std::string("cannot create a pipe: ") + std::strerror(errno)};

  Signals signals;
  signals.block();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    signals.restore_defaults();
    become(target.path.c_str(), argv.data(), envp.data(), options, why[1], parent);
  }
  const int fork_error = errno;
  close(why[1]);
  if (pid < 0) {
    close(why[0]);
    return Error{std::string("cannot start a process: ") + std::strerror(fork_error)};
  }
  Signals::pass_to(pid);
  signals.unblock();

  int exec_error = 0;
  ssize_t got = 0;
  while ((got = read(why[0], &exec_error, sizeof exec_error)) < 0 && errno == EINTR) {
  }
  close(why[0]);
  int status = 0;
  rusage used{};
  while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  Signals::pass_to(0);
  if (got == sizeof exec_error) return Error{target.path + " cannot be started: " + std::strerror(exec_error)};
  const uint64_t peak_bytes = static_cast<uint64_t>(used.ru_maxrss) * 1024;
  if (WIFSIGNALED(status)) {
    tidy_terminal(WTERMSIG(status));
    return Ending{0, WTERMSIG(status), peak_bytes};
  }
  return Ending{WEXITSTATUS(status), 0, peak_bytes};
}

std::string killed_text(const Target& target, const Ending& ending) {
  if (ending.signal == 0 || ending.signal == SIGPIPE) return {};
  if (ending.signal == SIGINT) return target.path + " was interrupted";
  return target.path + " was killed by signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) + ")";
}

}  // namespace bankshot::host
