// A text that the client edits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bankshot::lsp {

/// A place in a text as the protocol counts: both from 0, `character` in UTF-16 code units of the line.
struct TextPosition {
  uint32_t line = 0, character = 0;
};

/// UTF-16 code units of a text in UTF-8.
uint32_t utf16_length(std::string_view text);

/// The byte of a text at a position. A character behind the end of its line is that end, a line behind the last one the
/// end of the text, and the second half of a surrogate pair the character that it belongs to.
size_t offset_of(std::string_view text, TextPosition position);

/// The lines of a text, without their ends: "\n", "\r\n" or "\r". An empty text has one line.
std::vector<std::string> lines_of(std::string_view text);

struct Change {
  std::optional<std::pair<TextPosition, TextPosition>> range;  ///< nothing: the whole text
  std::string text;                                            ///< in place of it
};
/// If the positions of the range are in the wrong order, inserts at the first.
void apply(std::string& text, const Change& change);

}  // namespace bankshot::lsp
