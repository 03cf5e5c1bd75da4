#include "bankshot/toolkit/ptxas.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "bankshot/support/file_writing.hpp"
#include "bankshot/support/find_program.hpp"
#include "bankshot/support/mapped_file.hpp"
#include "bankshot/support/temporary_folder.hpp"

namespace bankshot::toolkit {
namespace {

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::vector<std::string> folders_of(std::string_view path) {
  std::vector<std::string> folders;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    if (end != at) folders.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

bool has_our_libraries(const std::string& folder) { return access((folder + "/libbankshot.so").c_str(), F_OK) == 0; }

std::optional<Error> write_text(const std::string& path, const std::string& text) {
  const FileSizeSignalHeld held;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int error = file < 0 ? errno : write_all(file, text);
  if (file >= 0 && close(file) != 0 && error == 0) error = errno;
  if (error == 0) return std::nullopt;
  return Error{fmt::format("{} cannot be written: {}; {}", path, std::strerror(error), kNeedsRoom)};
}

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

/// Runs a program with a clean environment, no input, no files of this process and the signals as they are by default.
/// @param output  file for what it says
/// @return its status as waitpid() has it; nothing if another part of this process has waited for it
Result<std::optional<int>> run(const std::vector<std::string>& arguments, const std::string& output) {
  const std::vector<std::string> environment = clean_environment(environ);
  const auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
  };
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
#if __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, arguments[0].c_str(), &files, &attributes, pointers(arguments).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return Error{arguments[0] + " cannot be started: " + std::strerror(error)};
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  return ended == pid ? std::optional(status) : std::nullopt;
}

/// "ptxas fatal: …", the first line that says what is wrong.
std::string complaint(std::string_view said, const std::optional<int>& status) {
  if (const std::string_view line = said.substr(0, said.find('\n')); !line.empty()) return std::string(line);
  if (status.value_or(0) == 0) return "it produced no machine code";
  return WIFSIGNALED(*status) ? fmt::format("signal {}", WTERMSIG(*status))
                              : fmt::format("status {}", WEXITSTATUS(*status));
}

}  // namespace

std::string find_tool(const std::string& name) {
  std::string path = value_of("PATH");
  for (const char* root : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string folder = value_of(root); !folder.empty()) path += ":" + folder + "/bin";
  }
  return find_in(path + ":/usr/local/cuda/bin", name);
}

std::string find_ptxas() { return find_tool("ptxas"); }

std::vector<std::string> clean_environment(const char* const* environment) {
  constexpr std::string_view kLibraries = "LD_LIBRARY_PATH=";
  std::vector<std::string> clean;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (entry.starts_with("LD_PRELOAD=") || entry.starts_with("BANKSHOT_")) continue;
    if (!entry.starts_with(kLibraries)) {
      clean.emplace_back(entry);
      continue;
    }
    std::string kept;
    for (const std::string& folder : folders_of(entry.substr(kLibraries.size()))) {
      if (!has_our_libraries(folder)) kept += (kept.empty() ? "" : ":") + folder;
    }
    if (!kept.empty()) clean.push_back(std::string(kLibraries) + kept);
  }
  return clean;
}

Result<std::vector<std::byte>> assemble(const std::string& ptx, const std::string& architecture, Lines lines) {
  const std::string ptxas = find_ptxas();
  if (ptxas.empty()) return Error{"ptxas is not installed"};
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string text = folder->path() + "/module.ptx", cubin = folder->path() + "/module.cubin",
                    output = folder->path() + "/output";
  if (const auto error = write_text(text, ptx)) return *error;
  std::vector<std::string> arguments = {ptxas, "-arch=" + architecture, "-o", cubin, text};
  if (lines == Lines::kept) arguments.emplace_back("-lineinfo");
  const Result<std::optional<int>> status = run(arguments, output);
  if (!status) return status.error();
  const MappedFile bytes(cubin);
  if (status->value_or(0) != 0 || !bytes.readable()) {
    const MappedFile said(output);
    return Error{"ptxas failed: " + complaint(text_of(said), *status)};
  }
  return std::vector<std::byte>(bytes.bytes().begin(), bytes.bytes().end());
}

}  // namespace bankshot::toolkit
