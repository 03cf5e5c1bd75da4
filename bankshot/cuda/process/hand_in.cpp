#include "bankshot/cuda/process/hand_in.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bankshot/cuda/process/process_id.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/support/file_writing.hpp"

namespace bankshot::cuda {
namespace {

/// @return 0 or errno, with nothing left behind
int write_whole(const std::string& path, const std::string& text) {
  const FileSizeSignalHeld held;
  const std::string beside = fmt::format("{}.{}", path, process_id());  // several processes load the same module
  const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  int error = write_all(file, text);
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) unlink(beside.c_str());
  return error;
}

}  // namespace

std::string free_path(const char* kind, const char* ending) {
  const std::string begin = fmt::format("{}/{}-{}", process_request().report_folder, kind, process_id());
  std::string path = begin + ending;
  for (int k = 2; access(path.c_str(), F_OK) == 0; ++k) path = fmt::format("{}-{}{}", begin, k, ending);
  return path;
}

void hand_in(Output output, const std::string& path, const std::string& text) {
  if (const int error = write_whole(path, text)) {
    if (!note_lost(output, error)) say_once(path, fmt::format("{} cannot be written: {}", path, std::strerror(error)));
  } else if (output != Output::module && output != Output::launch) {  // of several one that was lost stays so
    note_handed_in(output);
  }
}

}  // namespace bankshot::cuda
