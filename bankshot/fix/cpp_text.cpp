#include "bankshot/fix/cpp_text.hpp"

#include <algorithm>
#include <cctype>

namespace bankshot::fix {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_word_at(std::string_view text, size_t at, std::string_view word) {
  return text.substr(at, word.size()) == word && (at == 0 || !is_word(text[at - 1])) &&
         (at + word.size() >= text.size() || !is_word(text[at + word.size()]));
}

std::vector<size_t> words_at(std::string_view text, std::string_view word) {
  std::vector<size_t> places;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (is_word_at(text, at, word)) places.push_back(at);
  }
  return places;
}

size_t closing(std::string_view code, size_t at) {
  const char open = code[at], close = open == '(' ? ')' : open == '[' ? ']' : '}';
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == open) ++depth;
    if (code[at] == close && --depth == 0) return at;
  }
  return std::string_view::npos;
}

uint32_t line_of(std::string_view text, size_t at) {
  return static_cast<uint32_t>(std::ranges::count(text.substr(0, at), '\n')) + 1;
}

std::string without_comments(std::string_view source) {
  std::string code(source);
  const auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  };
  for (size_t at = 0; at < code.size(); ++at) {
    size_t end = at;
    if (source.substr(at, 2) == "//") {
      end = std::min(source.find('\n', at), code.size());
      blank(at, end);
    } else if (source.substr(at, 2) == "/*") {
      end = std::min(source.find("*/", at + 2), code.size() - 2) + 2;
      blank(at, end);
    } else if (source[at] == '"' || (source[at] == '\'' && (at == 0 || !is_word(source[at - 1])))) {  // 1'000
      for (end = at + 1; end < code.size() && source[end] != source[at] && source[end] != '\n'; ++end) {
        if (source[end] == '\\') ++end;
      }
      blank(at + 1, end);
      ++end;
    }
    if (end > at) at = end - 1;
  }
  return code;
}

std::string without_directives(std::string_view code) {
  std::string out(code);
  for (size_t line = 0; line < out.size();) {
    size_t end = std::min(out.find('\n', line), out.size());
    const size_t first = out.find_first_not_of(" \t\r", line);
    if (first < end && out[first] == '#') {
      const auto is_continued = [&] {
        const size_t last = out.find_last_not_of(" \t\r", end - 1);
        return last != std::string::npos && last >= line && out[last] == '\\';
      };
      for (;;) {
        const bool more = is_continued() && end < out.size();
        std::fill(out.begin() + static_cast<ptrdiff_t>(line), out.begin() + static_cast<ptrdiff_t>(end), ' ');
        if (!more) break;
        line = end + 1;
        end = std::min(out.find('\n', line), out.size());
      }
    }
    line = end + 1;
  }
  return out;
}

std::vector<Block> enclosing_blocks(std::string_view code, size_t at) {
  std::vector<Block> blocks;
  size_t head = 0;
  for (size_t i = 0; i < std::min(at, code.size()); ++i) {
    if (code[i] == '{') blocks.push_back({head, i});
    if (code[i] == '}' && !blocks.empty()) blocks.pop_back();
    if (code[i] == ';' || code[i] == '{' || code[i] == '}') head = i + 1;
  }
  return blocks;
}

}  // namespace bankshot::fix
