#include "bankshot/lsp/document.hpp"

#include <algorithm>

namespace bankshot::lsp {
namespace {

/// Bytes and UTF-16 code units of the character in UTF-8 that begins with this byte. Bytes that begin none count as
/// one.
struct CharacterSize {
  size_t bytes = 1;
  uint32_t units = 1;
};
CharacterSize character_size(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xf0) return {4, 2};
  if (byte >= 0xe0) return {3, 1};
  if (byte >= 0xc0) return {2, 1};
  return {1, 1};
}

/// Where a line ends and where the next one begins, which is the same at the end of the text.
struct LineEnd {
  size_t end = 0, next = 0;
};
LineEnd line_end(std::string_view text, size_t begin) {
  const size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
  if (end == text.size()) return {end, end};
  return {end, end + (text.substr(end, 2) == "\r\n" ? 2 : 1)};
}

}  // namespace

uint32_t utf16_length(std::string_view text) {
  uint32_t units = 0;
  for (size_t at = 0; at < text.size();) {
    const CharacterSize size = character_size(text[at]);
    at += size.bytes;
    units += size.units;
  }
  return units;
}

size_t offset_of(std::string_view text, TextPosition position) {
  size_t at = 0;
  for (uint32_t line = 0; line < position.line; ++line) {
    const LineEnd end = line_end(text, at);
    at = end.next;
    if (end.next == end.end) return text.size();
  }
  const size_t end = line_end(text, at).end;
  for (uint32_t units = 0; at < end;) {
    const CharacterSize size = character_size(text[at]);
    units += size.units;
    if (units > position.character) break;
    at = std::min(at + size.bytes, end);
  }
  return at;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0;;) {
    const LineEnd end = line_end(text, begin);
    lines.emplace_back(text.substr(begin, end.end - begin));
    if (end.next == end.end) return lines;
    begin = end.next;
  }
}

void apply(std::string& text, const Change& change) {
  const size_t begin = change.range ? offset_of(text, change.range->first) : 0;
  const size_t end = change.range ? std::max(begin, offset_of(text, change.range->second)) : text.size();
  text.replace(begin, end - begin, change.text);
}

}  // namespace bankshot::lsp
