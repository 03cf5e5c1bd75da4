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

/// The byte of a line at a character, which is the end of the line if it is behind that, and the second half of a
/// surrogate pair is the character that it belongs to.
size_t offset_in(std::string_view line, uint32_t character);

/// A text by its lines, so that an edit costs what it changes.
struct Text {
  std::vector<std::string> lines{""};  ///< without their ends; an empty text has one line
  std::vector<std::string> ends{""};   ///< of each line "\n", "\r\n" or "\r"; of the last one ""
};
Text text_of(std::string_view text);
std::string whole(const Text& text);

/// Only the lines.
std::vector<std::string> lines_of(std::string_view text);

struct Change {
  std::optional<std::pair<TextPosition, TextPosition>> range;  ///< nothing: the whole text
  std::string text;                                            ///< in place of it
};

/// Lines that others took the place of.
struct LineChange {
  uint32_t first = 1;               ///< from 1
  uint32_t removed = 1, added = 1;  ///< how many lines from `first` there were and are now; 1 at least
};

/// A position behind the last line is the end of the text. If the positions of the range are in the wrong order,
/// inserts at the first.
LineChange apply(Text& text, const Change& change);

}  // namespace bankshot::lsp
