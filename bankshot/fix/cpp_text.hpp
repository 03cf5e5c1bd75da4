// C++ as text: words of it, without what is no code.
#pragma once

#include <cstddef>
#include <cstdint>
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
/// Where the bracket that opens at `at`, one of ( [ {, is closed; npos if it is not.
size_t closing(std::string_view code, size_t at);
/// The line of a place. 1: the first
uint32_t line_of(std::string_view text, size_t at);

/// The source with comments and what is between quotes replaced by blanks: places stay.
std::string without_comments(std::string_view source);
/// Code with lines of the preprocessor, and the lines that continue them, replaced by blanks: places stay.
std::string without_directives(std::string_view code);

/// A brace that encloses a place, and what stands before it: "template <int N> __global__ void k(int* out) ".
struct Block {
  size_t head = 0, brace = 0;  ///< where the head begins, and the brace stands
};
/// The blocks that enclose a place, the outermost first. @param code  without comments and directives
std::vector<Block> enclosing_blocks(std::string_view code, size_t at);

}  // namespace bankshot::fix
