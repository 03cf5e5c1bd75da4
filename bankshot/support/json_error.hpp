// What a JSON library says of a text that is not JSON, for a user.
#pragma once

#include <string>
#include <string_view>

namespace bankshot {

/// "not JSON: line 1, column 5: invalid literal; last read: '{x'" of "[json.exception.parse_error.101] parse error at
/// line 1, column 5: syntax error while parsing value - invalid literal; last read: '{x'"; of other errors "unexpected
/// JSON: type must be number, but is string".
inline std::string json_error(std::string_view what) {
  const auto skip = [&](std::string_view end) {
    const size_t at = what.find(end);
    if (at == std::string_view::npos) return std::string_view();
    const std::string_view before = what.substr(0, at);
    what.remove_prefix(at + end.size());
    return before;
  };
  skip("] ");
  if (!what.starts_with("parse error at ")) return "unexpected JSON: " + std::string(what);
  skip("parse error at ");
  const std::string_view place = skip(": ");
  skip(" - ");
  return "not JSON: " + (place.empty() ? "" : std::string(place) + ": ") + std::string(what);
}

}  // namespace bankshot
