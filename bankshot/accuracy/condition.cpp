#include "bankshot/accuracy/condition.hpp"

#include <charconv>

namespace bankshot::accuracy {

std::optional<double> number_after(std::string_view text, std::string_view prefix) {
  for (size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
    const std::string_view rest = text.substr(at + prefix.size());
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc() && value >= 0) return value;
  }
  return std::nullopt;
}

std::optional<uint32_t> whole_number(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t from = text.find(begin);
  if (from == text.npos) return std::nullopt;
  text.remove_prefix(from + begin.size());
  const size_t to = text.find(end);
  if (to == text.npos) return std::nullopt;
  return std::string(text.substr(0, to));
}

}  // namespace bankshot::accuracy
