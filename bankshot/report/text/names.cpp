#include "bankshot/report/text/names.hpp"

#include <algorithm>
#include <cctype>

#include "bankshot/support/printable.hpp"

namespace bankshot::report {
namespace {

constexpr std::string_view kOperator = "operator";

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The length of an operator's name at the beginning of the text: `operator<<`, `operator()`; 0 if there is none.
size_t operator_length(std::string_view text) {
  if (!text.starts_with(kOperator)) return 0;
  size_t end = kOperator.size();
  if (text.substr(end).starts_with("()") || text.substr(end).starts_with("[]")) return end + 2;
  // `operator< <int>` is the operator < with an argument: a blank ends the name.
  while (end < text.size() && std::string_view("<>-=+*/%&|^!~,").find(text[end]) != std::string_view::npos) ++end;
  return end;
}

/// Where the last list of arguments begins: the parameters of the function. npos if there is none.
size_t parameters_begin(std::string_view name) {
  const size_t end = name.rfind(')');
  if (end == std::string_view::npos) return std::string_view::npos;
  size_t depth = 0;
  for (size_t at = end + 1; at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string without_template_arguments(std::string_view name) {
  std::string out;
  size_t depth = 0;
  for (size_t at = 0; at < name.size(); ++at) {
    const bool begins_word = at == 0 || !is_name_character(name[at - 1]);
    if (const size_t length = begins_word ? operator_length(name.substr(at)) : 0; length != 0) {
      if (depth == 0) out += name.substr(at, length);
      at += length - 1;
    } else if (name[at] == '<') {
      if (depth++ == 0) out += "<…>";
    } else if (name[at] == '>' && at > 0 && name[at - 1] != '-') {
      if (depth-- == 0) return std::string(name);
    } else if (depth == 0) {
      out += name[at];
    }
  }
  return depth == 0 ? out : std::string(name);
}

std::string without_parameters(std::string_view name) {
  const size_t begin = parameters_begin(name);
  if (begin == std::string_view::npos || begin == 0 || name.substr(begin).starts_with("()")) return std::string(name);
  return std::string(name.substr(0, begin)) + "(…)" + std::string(name.substr(name.rfind(')') + 1));
}

std::string shown_name(std::string_view name, const TextOptions& options) {
  std::string text = printable(name);
  if (options.whole_names || columns(text) <= options.width) return text;
  text = without_template_arguments(text);
  if (columns(text) <= options.width) return text;
  return without_parameters(text);
}

}  // namespace bankshot::report
