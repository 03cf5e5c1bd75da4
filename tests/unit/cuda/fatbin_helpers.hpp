// Builds small fat binaries in memory.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bankshot/cuda/modules/fatbin.hpp"

namespace bankshot::cuda::test {

struct EntrySpec {
  unsigned kind = 1;  ///< 1 PTX, 2 machine code
  unsigned architecture = 75;
  uint64_t flags = 0x11;
  std::string payload;
  uint32_t compressed = 0;  ///< bytes of the payload that count; 0 = not compressed
  uint64_t uncompressed = 0;
  std::string source;  ///< at most 16 bytes
};

template <class T>
void put(std::string& bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

inline std::string entry(const EntrySpec& spec) {
  const uint32_t header = spec.source.empty() ? 64 : 80;
  std::string bytes(header, '\0');
  std::string payload = spec.payload;
  payload.resize((payload.size() + 7) / 8 * 8, '\0');
  put(bytes, 0, static_cast<uint16_t>(spec.kind));
  put(bytes, 4, header);
  put(bytes, 8, static_cast<uint64_t>(payload.size()));
  put(bytes, 16, spec.compressed);
  put(bytes, 28, spec.architecture);
  if (!spec.source.empty()) {
    put(bytes, 32, uint32_t{64});
    put(bytes, 36, static_cast<uint32_t>(spec.source.size()));
    bytes.replace(64, spec.source.size(), spec.source);
  }
  put(bytes, 40, spec.flags);
  put(bytes, 56, spec.uncompressed);
  return bytes + payload;
}

inline std::string container(const std::string& entries) {
  std::string bytes(16, '\0');
  put(bytes, 0, kContainerMagic);
  put(bytes, 4, uint16_t{1});
  put(bytes, 6, uint16_t{16});
  put(bytes, 8, static_cast<uint64_t>(entries.size()));
  return bytes + entries;
}

inline Result<std::vector<FatbinEntry>> read(const std::string& bytes) {
  return read_fatbin(std::as_bytes(std::span(bytes)));
}

}  // namespace bankshot::cuda::test
