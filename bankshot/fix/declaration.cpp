#include "bankshot/fix/declaration.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "bankshot/fix/cpp_text.hpp"

namespace bankshot::fix {
namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

/// "32", "0x20", "040", "1'024u".
std::optional<int64_t> number(std::string word) {
  std::erase(word, '\'');
  while (!word.empty() && std::string_view("uUlL").find(word.back()) != std::string_view::npos) word.pop_back();
  const bool binary = word.starts_with("0b") || word.starts_with("0B");
  const char* start = word.c_str() + (binary ? 2 : 0);
  char* end = nullptr;
  const unsigned long long value = std::strtoull(start, &end, binary ? 2 : 0);
  if (end == start || *end != '\0' || value > uint64_t{1} << 30) return {};
  return static_cast<int64_t>(value);
}

/// The value of an integer expression of + - * / % << >> ( ), numbers and names.
class Evaluator {
 public:
  using Lookup = std::function<std::optional<int64_t>(const std::string& name)>;
  Evaluator(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  std::optional<int64_t> value() {
    const std::optional<int64_t> shift = this->shift();
    skip();
    return at_ == text_.size() ? shift : std::nullopt;
  }

 private:
  static constexpr int64_t kMost = 1 << 30;  ///< of what is multiplied or shifted

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  /// The operator of `any` that stands here, or empty.
  std::string_view take(std::initializer_list<std::string_view> any) {
    skip();
    for (const std::string_view one : any) {
      if (!text_.substr(at_).starts_with(one)) continue;
      at_ += one.size();
      return one;
    }
    return {};
  }
  std::optional<int64_t> shift() {
    std::optional<int64_t> left = sum();
    while (left) {
      const std::string_view sign = take({"<<", ">>"});
      if (sign.empty()) break;
      const std::optional<int64_t> right = sum();
      if (!right || *right < 0 || *right > 30 || *left < 0 || *left > kMost) return {};
      left = sign == "<<" ? *left << *right : *left >> *right;
    }
    return left;
  }
  std::optional<int64_t> sum() {
    std::optional<int64_t> left = product();
    while (left) {
      const std::string_view sign = take({"+", "-"});
      if (sign.empty()) break;
      const std::optional<int64_t> right = product();
      if (!right) return {};
      left = sign == "+" ? *left + *right : *left - *right;
    }
    return left;
  }
  std::optional<int64_t> product() {
    std::optional<int64_t> left = factor();
    while (left) {
      const std::string_view sign = take({"*", "/", "%"});
      if (sign.empty()) break;
      const std::optional<int64_t> right = factor();
      if (!right || std::abs(*left) > kMost || std::abs(*right) > kMost || (sign != "*" && *right <= 0)) return {};
      left = sign == "*" ? *left * *right : sign == "/" ? *left / *right : *left % *right;
    }
    return left;
  }
  std::optional<int64_t> factor() {
    if (!take({"("}).empty()) {
      constexpr unsigned kMostDepth = 32;
      if (++depth_ > kMostDepth) return {};
      const std::optional<int64_t> inner = shift();
      --depth_;
      return take({")"}).empty() ? std::nullopt : inner;
    }
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || (at_ > start && text_[at_] == '\''))) ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (word.empty()) return {};
    return std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? number(word) : lookup_(word);
  }

  std::string_view text_;
  const Lookup& lookup_;
  size_t at_ = 0;
  unsigned depth_ = 0;
};

/// What names stand for in a source.
class Names {
 public:
  explicit Names(const std::string& code) : code_(code), body_(without_directives(code)) {}

  /// The text after #define NAME, or of const … NAME = …; nothing if that is not said just once.
  const std::optional<std::string>& definition(const std::string& name) {
    const auto [at, is_new] = known_.try_emplace(name);
    if (!is_new) return at->second;
    std::set<std::string> found;
    for (const size_t place : words_at(code_, name)) {
      if (std::string text = definition_at(place, name.size()); !text.empty()) found.insert(std::move(text));
    }
    if (found.size() == 1) at->second = *found.begin();
    return at->second;
  }

 private:
  /// What the name that stands here is defined as; empty if this is no definition.
  std::string definition_at(size_t at, size_t length) const {
    const size_t behind = at + length;
    if (body_[at] == ' ') {                           // a line of the preprocessor
      const size_t line = code_.rfind('\n', at) + 1;  // npos + 1 is 0
      std::string head;
      for (size_t i = line; i < at; ++i) {
        if (code_[i] != ' ' && code_[i] != '\t') head += code_[i];
      }
      return head == "#define" && behind < code_.size() && code_[behind] != '('
                 ? trimmed(std::string_view(code_).substr(behind, code_.find('\n', behind) - behind))
                 : "";
    }
    const size_t sign = body_.find_first_not_of(" \t\r\n", behind);
    if (sign == std::string::npos || body_[sign] != '=' || body_.substr(sign, 2) == "==") return {};
    const size_t start = at == 0 ? 0 : body_.find_last_of(";(){}", at - 1) + 1;
    const std::string_view head = std::string_view(body_).substr(start, at - start);
    if (words_at(head, "const").empty() && words_at(head, "constexpr").empty()) return {};
    const size_t end = std::min(body_.find_first_of(";,", sign), body_.size());
    return trimmed(std::string_view(body_).substr(sign + 1, end - sign - 1));
  }

  const std::string& code_;
  std::string body_;  ///< without lines of the preprocessor
  std::map<std::string, std::optional<std::string>> known_;
};

/// The dimensions' values, empty if some are not known. @param extra  what names have that the source does not define
/// @param unknown  receives other such names
std::vector<uint64_t> values(Names& names, const std::vector<std::string>& dimensions,
                             const std::map<std::string, int64_t>& extra, std::set<std::string>& unknown) {
  unsigned depth = 0, left = 1000;  // lookups
  const Evaluator::Lookup lookup = [&](const std::string& name) -> std::optional<int64_t> {
    if (const auto given = extra.find(name); given != extra.end()) return given->second;
    const std::optional<std::string> text = depth < 8 && left > 0 ? names.definition(name) : std::nullopt;
    if (!text) {
      unknown.insert(name);
      return {};
    }
    ++depth;
    --left;
    const std::optional<int64_t> value = Evaluator(*text, lookup).value();
    --depth;
    return value;
  };
  std::vector<uint64_t> all;
  for (const std::string& dimension : dimensions) {
    const std::optional<int64_t> value = Evaluator(dimension, lookup).value();
    if (value && *value > 0) all.push_back(static_cast<uint64_t>(*value));
  }
  return all.size() == dimensions.size() ? all : std::vector<uint64_t>();
}

uint64_t product(const std::vector<uint64_t>& sizes) {
  uint64_t all = 1;
  for (const uint64_t size : sizes) all = std::min<uint64_t>(all * std::min<uint64_t>(size, 1 << 20), 1 << 20);
  return all;
}

/// "__align__(16) volatile float" less what is no type.
std::string type_of(std::string_view text) {
  static const std::set<std::string_view> kNot = {"extern", "static", "__shared__", "volatile", "const"};
  static const std::set<std::string_view> kWithArgument = {"__align__", "alignas", "__attribute__"};
  std::string type;
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (word.empty()) {
      type += text[at++];
      continue;
    }
    at = end;
    if (kNot.contains(word)) continue;
    if (kWithArgument.contains(word)) {
      const size_t open = text.find_first_not_of(" \t\r\n", end);
      if (open == std::string_view::npos || text[open] != '(') continue;
      const size_t close = closing(text, open);
      if (close == std::string_view::npos) return {};
      at = close + 1;
      continue;
    }
    if (!type.empty() && is_word(type.back())) type += ' ';
    type += word;
  }
  return type;
}

/// The declaration whose name stands here, if it is one.
std::optional<Declaration> declaration_at(const std::string& code, size_t name, size_t length) {
  const size_t start = code.find_last_of(";{}", name) + 1;  // npos + 1 is 0
  std::string before = code.substr(start, name - start);
  if (words_at(before, "__shared__").empty()) return {};
  if (const size_t comma = before.find(','); comma != std::string::npos) {  // T first[2], name[3]
    before.resize(std::min(comma, before.find('[')));
    while (!before.empty() && !is_word(before.back())) before.pop_back();
    while (!before.empty() && is_word(before.back())) before.pop_back();
  }
  Declaration declaration;
  declaration.type = type_of(before);
  declaration.line = line_of(code, name);
  size_t at = name + length;
  for (;;) {
    at = code.find_first_not_of(" \t\r\n", at);
    if (at == std::string::npos || code[at] != '[') break;
    const size_t end = code.find(']', at);
    if (end == std::string::npos) return {};
    declaration.dimensions.push_back(trimmed(std::string_view(code).substr(at + 1, end - at - 1)));
    at = end + 1;
  }
  const bool ends = at != std::string::npos && (code[at] == ';' || code[at] == ',');
  const bool plain = std::ranges::all_of(declaration.type, [](char c) { return is_word(c) || c == ' ' || c == ':'; });
  return ends && plain && !declaration.type.empty() && !declaration.dimensions.empty() ? std::optional(declaration)
                                                                                       : std::nullopt;
}

/// Finds the sizes of the dimensions, and of the elements if their type is not built in.
bool size_up(Declaration& declaration, const std::string& code, uint64_t bytes) {
  declaration.element_bytes = bytes_of_builtin(declaration.type);
  Names names(code);
  std::set<std::string> unknown;
  if (bytes == 0) {
    const std::vector<std::string> inner(declaration.dimensions.begin() + 1, declaration.dimensions.end());
    declaration.sizes = values(names, inner, {}, unknown);
    if (!declaration.sizes.empty()) declaration.sizes.insert(declaration.sizes.begin(), 0);
    return declaration.element_bytes != 0;
  }
  declaration.sizes = values(names, declaration.dimensions, {}, unknown);
  if (declaration.element_bytes == 0) {
    const uint64_t elements = product(declaration.sizes);
    if (declaration.sizes.empty() || bytes % elements != 0) return false;
    declaration.element_bytes = static_cast<uint32_t>(bytes / elements);
    return true;
  }
  const uint64_t elements = bytes / declaration.element_bytes;
  for (int64_t value = 1; declaration.sizes.empty() && unknown.size() == 1 && value <= 4096; ++value) {
    std::set<std::string> rest;
    declaration.sizes = values(names, declaration.dimensions, {{*unknown.begin(), value}}, rest);
    if (product(declaration.sizes) != elements) declaration.sizes.clear();
  }
  // A declaration of another size is one of another array, or not what was compiled.
  return declaration.sizes.empty() || product(declaration.sizes) * declaration.element_bytes == bytes;
}

/// Whether this is a function of the mangled name, or has it as its own: "k(" in _Z1kPf.
bool is_head_of(std::string_view head, const std::string& function) {
  for (size_t open = head.find('('); open != std::string_view::npos; open = head.find('(', open + 1)) {
    const size_t last = open == 0 ? std::string_view::npos : head.find_last_not_of(" \t\r\n", open - 1);
    if (last == std::string_view::npos || !is_word(head[last])) continue;
    size_t first = last;
    while (first > 0 && is_word(head[first - 1])) --first;
    const std::string word(head.substr(first, last + 1 - first));
    if (word == function || function.find(std::to_string(word.size()) + word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

uint32_t bytes_of_builtin(std::string_view type) {
  static const std::map<std::string_view, uint32_t> kScalars = {
      {"char", 1},    {"signed char", 1},    {"unsigned char", 1},  {"bool", 1},      {"int8_t", 1},
      {"uint8_t", 1}, {"short", 2},          {"unsigned short", 2}, {"int16_t", 2},   {"uint16_t", 2},
      {"half", 2},    {"__half", 2},         {"__nv_bfloat16", 2},  {"int", 4},       {"unsigned", 4},
      {"float", 4},   {"unsigned int", 4},   {"int32_t", 4},        {"uint32_t", 4},  {"half2", 4},
      {"__half2", 4}, {"__nv_bfloat162", 4}, {"double", 8},         {"long long", 8}, {"unsigned long long", 8},
      {"int64_t", 8}, {"uint64_t", 8},       {"size_t", 8},         {"long", 8},      {"unsigned long", 8}};
  for (const std::string_view scope : {"::", "std::"}) {
    if (type.starts_with(scope)) type.remove_prefix(scope.size());
  }
  if (const auto found = kScalars.find(type); found != kScalars.end()) return found->second;
  // Vectors: float4. Those of three elements have three times the bytes.
  static const std::map<std::string_view, uint32_t> kVectors = {
      {"char", 1},  {"uchar", 1}, {"short", 2}, {"ushort", 2},   {"int", 4},       {"uint", 4},
      {"float", 4}, {"long", 8},  {"ulong", 8}, {"longlong", 8}, {"ulonglong", 8}, {"double", 8}};
  if (type.empty() || type.back() < '1' || type.back() > '4') return 0;
  const auto found = kVectors.find(type.substr(0, type.size() - 1));
  return found == kVectors.end() ? 0 : found->second * static_cast<uint32_t>(type.back() - '0');
}

std::optional<Declaration> find_declaration(std::string_view source, const std::string& name,
                                            const std::string& function, uint64_t bytes) {
  if (name.empty() || !std::ranges::all_of(name, is_word)) return {};
  const std::string code = without_comments(source), body = without_directives(code);
  std::vector<Declaration> own, others;
  for (const size_t at : words_at(body, name)) {
    std::optional<Declaration> one = declaration_at(body, at, name.size());
    if (!one || !size_up(*one, code, bytes)) continue;
    const bool inside = std::ranges::any_of(enclosing_blocks(body, at), [&](const Block& block) {
      return is_head_of(std::string_view(body).substr(block.head, block.brace - block.head), function);
    });
    (inside ? own : others).push_back(std::move(*one));
  }
  // A mangled name of an array says in which function it is.
  const std::vector<Declaration>& all = own.empty() && !function.starts_with("_ZZ") ? others : own;
  return all.size() == 1 ? std::optional(all[0]) : std::nullopt;
}

}  // namespace bankshot::fix
