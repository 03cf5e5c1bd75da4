// The time of day, for what is kept in files.
#pragma once

#include <ctime>
#include <string>

namespace bankshot {

/// "2026-11-26T19:20:11Z"
inline std::string now_in_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace bankshot
