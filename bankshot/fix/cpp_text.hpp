// C++ as text: words of it, without what is no code.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bankshot::fix {

/// Whether names are made of it: a letter, a digit or _.
bool is_word(char c);
/// Whether this word stands there by itself.
bool is_word_at(std::string_view text, size_t at, std::string_view word);
/// Where it stands by itself.
std::vector<size_t> words_at(std::string_view text, std::string_view word);
/// The source with comments and what is between quotes replaced by blanks: places stay.
std::string without_comments(std::string_view source);

}  // namespace bankshot::fix
