#include "bankshot/report/run/module_digest.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace bankshot::report {

std::string module_digest(std::string_view ptx) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : ptx) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace bankshot::report
