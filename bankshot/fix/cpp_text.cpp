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

}  // namespace bankshot::fix
