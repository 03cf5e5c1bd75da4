// Where programs that load or link PTX through the driver interface want the messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace bankshot::cuda::driver {

/// Empties the buffers that the program gave for messages, and says that no time passed.
inline void empty_logs(unsigned count, const int* options, void** values) {
  constexpr int kWallTime = 2, kInfoLog = 3, kInfoLogSize = 4, kErrorLog = 5, kErrorLogSize = 6;
  const auto size_of = [&](int which) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == which) return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
    return uint32_t{0};
  };
  for (unsigned i = 0; options && values && i < count; ++i) {
    const bool has_room = (options[i] == kInfoLog && size_of(kInfoLogSize) > 0) ||
                          (options[i] == kErrorLog && size_of(kErrorLogSize) > 0);
    if (has_room && values[i]) *static_cast<char*>(values[i]) = '\0';
    if (options[i] == kWallTime && values[i]) *static_cast<float*>(values[i]) = 0;
  }
}

/// The options of cuModuleLoadDataEx that matter: where to put the messages.
struct JitLog {
  char* buffer = nullptr;
  size_t size = 0;
  void** size_slot = nullptr;

  JitLog(unsigned count, const int* options, void** values) {
    empty_logs(count, options, values);
    constexpr int kErrorLogBuffer = 5, kErrorLogBufferSize = 6;
    for (unsigned i = 0; options && values && i < count; ++i) {
      if (options[i] == kErrorLogBuffer) buffer = static_cast<char*>(values[i]);
      if (options[i] == kErrorLogBufferSize) {
        size = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(values[i]));
        size_slot = &values[i];
      }
    }
  }

  /// Writes as much as there is room for, and how much that was, as the real driver does.
  void write(const std::string& log) {
    size_t written = 0;
    if (buffer && size > 0) {
      written = std::min(log.size(), size - 1);
      std::memcpy(buffer, log.data(), written);
      buffer[written] = '\0';
    }
    if (size_slot) *size_slot = reinterpret_cast<void*>(written);
  }
  bool wanted() const { return buffer && size > 0; }
};

}  // namespace bankshot::cuda::driver
