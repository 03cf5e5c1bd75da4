#include "bankshot/lsp/document.hpp"

#include <algorithm>
#include <compare>
#include <iterator>

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

/// A position as indices of the line and of the byte in it.
struct LinePlace {
  size_t line = 0, offset = 0;
  auto operator<=>(const LinePlace&) const = default;
};
LinePlace place_in(const Text& text, TextPosition position) {
  const size_t last = text.lines.size() - 1;
  if (position.line > last) return {last, text.lines[last].size()};
  return {position.line, offset_in(text.lines[position.line], position.character)};
}

/// Puts items in the place of `removed` others. Those that stay behind them move only if the number changes.
void replace_items(std::vector<std::string>& list, size_t first, size_t removed, std::vector<std::string>& items) {
  const size_t same = std::min(removed, items.size());
  const auto at = std::move(items.begin(), items.begin() + static_cast<ptrdiff_t>(same),
                            list.begin() + static_cast<ptrdiff_t>(first));
  if (removed > same) {
    list.erase(at, at + static_cast<ptrdiff_t>(removed - same));
  } else {
    list.insert(at, std::move_iterator(items.begin() + static_cast<ptrdiff_t>(same)), std::move_iterator(items.end()));
  }
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

size_t offset_in(std::string_view line, uint32_t character) {
  size_t at = 0;
  for (uint32_t units = 0; at < line.size();) {
    const CharacterSize size = character_size(line[at]);
    units += size.units;
    if (units > character) break;
    at = std::min(at + size.bytes, line.size());
  }
  return at;
}

Text text_of(std::string_view text) {
  Text all{{}, {}};
  for (size_t begin = 0;;) {
    const LineEnd end = line_end(text, begin);
    all.lines.emplace_back(text.substr(begin, end.end - begin));
    all.ends.emplace_back(text.substr(end.end, end.next - end.end));
    if (end.next == end.end) return all;
    begin = end.next;
  }
}

std::string whole(const Text& text) {
  std::string all;
  for (size_t k = 0; k < text.lines.size(); ++k) all += text.lines[k] + text.ends[k];
  return all;
}

std::vector<std::string> lines_of(std::string_view text) { return text_of(text).lines; }

LineChange apply(Text& text, const Change& change) {
  const auto count = static_cast<uint32_t>(text.lines.size());
  if (!change.range) {
    text = text_of(change.text);
    return {1, count, static_cast<uint32_t>(text.lines.size())};
  }
  const LinePlace begin = place_in(text, change.range->first);
  const LinePlace end = std::max(begin, place_in(text, change.range->second));
  size_t first = begin.line;
  std::string block = text.lines[first].substr(0, begin.offset) + change.text +
                      text.lines[end.line].substr(end.offset) + text.ends[end.line];
  if (first > 0 && text.ends[first - 1] == "\r" && block.starts_with('\n')) {  // together they are one end
    --first;
    block.insert(0, text.lines[first] + "\r");
  }
  Text made = text_of(block);
  if (end.line + 1 < count) {  // what is behind the block's end is the next line
    made.lines.pop_back();
    made.ends.pop_back();
  }
  const size_t removed = end.line + 1 - first;
  replace_items(text.lines, first, removed, made.lines);
  replace_items(text.ends, first, removed, made.ends);
  return {static_cast<uint32_t>(first + 1), static_cast<uint32_t>(removed), static_cast<uint32_t>(made.lines.size())};
}

}  // namespace bankshot::lsp
