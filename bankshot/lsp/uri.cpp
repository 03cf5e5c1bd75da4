#include "bankshot/lsp/uri.hpp"

#include <algorithm>
#include <charconv>

#include "bankshot/formats/place.hpp"

namespace bankshot::lsp {

namespace {

/// Schemes and hosts may be written in either case (RFC 3986, 6.2.2.1). @param word  in lower case
bool starts_with_word(std::string_view text, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(text.substr(0, word.size()), word, {}, lower);
}

}  // namespace

std::string uri_of(const std::string& path) { return "file://" + formats::uri_path(path); }

std::optional<std::string> path_of(std::string_view uri) {
  constexpr std::string_view kFile = "file://", kHere = "localhost";
  if (!starts_with_word(uri, kFile)) return std::nullopt;
  uri.remove_prefix(kFile.size());
  if (starts_with_word(uri, kHere)) uri.remove_prefix(kHere.size());
  if (!uri.starts_with('/')) return std::nullopt;
  std::string path;
  for (size_t at = 0; at < uri.size(); ++at) {
    if (uri[at] != '%') {
      path += uri[at];
      continue;
    }
    const std::string_view digits = uri.substr(at + 1, 2);
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc{} || digits.size() != 2 || end != digits.data() + 2 || byte == 0) return std::nullopt;
    path += static_cast<char>(byte);
    at += 2;
  }
  return path;
}

}  // namespace bankshot::lsp
