#include "bankshot/cuda/process/say.hpp"

#include <unistd.h>

#include <mutex>
#include <set>
#include <string>

namespace bankshot::cuda {

void say(std::string_view text) {
  std::string line = "bankshot: ";
  line += text;
  if (line.back() != '\n') line += '\n';
  // Not through stderr's buffer: the program may have closed or redirected its own stream.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void say_once(std::string_view key, std::string_view text) {
  // Never destroyed: functions of the libraries are called from the program's static destructors too.
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::set<std::string, std::less<>>;
  {
    std::lock_guard lock(mutex);
    if (!said.emplace(key).second) return;
  }
  say(text);
}

}  // namespace bankshot::cuda
