#include "bankshot/formats/place.hpp"

#include <cctype>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "bankshot/support/path_below.hpp"

namespace bankshot::formats {

FilePlace place_of(const std::string& root, const std::string& file) {
  const std::filesystem::path base(root);
  const std::filesystem::path whole = (base / file).lexically_normal();
  const std::optional<std::filesystem::path> inside = path_below(whole, base);
  if (!inside || *inside == ".") return {false, whole.string()};
  return {true, inside->string()};
}

std::string uri_path(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte < 0x80 && std::isalnum(byte) != 0;
    uri += letter || kPlain.find(c) != kPlain.npos ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

}  // namespace bankshot::formats
