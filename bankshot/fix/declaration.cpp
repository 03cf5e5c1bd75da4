#include "bankshot/fix/declaration.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "bankshot/fix/cpp_text.hpp"

namespace bankshot::fix {
namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

/// The value of an integer expression of + - * / % ( ), numbers and names.
class Evaluator {
 public:
  using Lookup = std::function<std::optional<int64_t>(const std::string& name)>;
  Evaluator(std::string_view text, const Lookup& lookup) : text_(text), lookup_(lookup) {}

  std::optional<int64_t> value() {
    const std::optional<int64_t> sum = this->sum();
    skip();
    return at_ == text_.size() ? sum : std::nullopt;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char take(std::string_view any) {
    skip();
    return at_ < text_.size() && any.find(text_[at_]) != std::string_view::npos ? text_[at_++] : '\0';
  }
  std::optional<int64_t> sum() {
    std::optional<int64_t> left = product();
    while (const char sign = left ? take("+-") : '\0') {
      const std::optional<int64_t> right = product();
      if (!right) return {};
      left = sign == '+' ? *left + *right : *left - *right;
    }
    return left;
  }
  std::optional<int64_t> product() {
    std::optional<int64_t> left = factor();
    while (const char sign = left ? take("*/%") : '\0') {
      const std::optional<int64_t> right = factor();
      constexpr int64_t kMost = 1 << 30;
      if (!right || *left > kMost || *right > kMost || (sign != '*' && *right <= 0)) return {};
      left = sign == '*' ? *left * *right : sign == '/' ? *left / *right : *left % *right;
    }
    return left;
  }
  std::optional<int64_t> factor() {
    if (take("(") != '\0') {
      const std::optional<int64_t> inner = sum();
      return take(")") != '\0' ? inner : std::nullopt;
    }
    skip();
    const size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    std::string word(text_.substr(start, at_ - start));
    if (word.empty()) return {};
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) return lookup_(word);
    while (word.back() == 'u' || word.back() == 'U' || word.back() == 'l' || word.back() == 'L') word.pop_back();
    const bool plain = std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    return plain && word.size() < 10 ? std::optional<int64_t>(std::stoll(word)) : std::nullopt;
  }

  std::string_view text_;
  const Lookup& lookup_;
  size_t at_ = 0;
};

/// What names stand for in a source.
class Names {
 public:
  explicit Names(const std::string& code) : code_(code) {}

  /// The text after #define NAME, or of const … NAME = …; nothing if that is not said just once.
  const std::optional<std::string>& definition(const std::string& name) {
    const auto [at, is_new] = known_.try_emplace(name);
    if (!is_new) return at->second;
    const std::regex pattern("#[ \\t]*define[ \\t]+" + name + "[ \\t]+([^\\n]+)|const(?:expr)?\\b[^;(){}]*\\b" + name +
                             "[ \\t]*=([^;,]+)[;,]");
    std::set<std::string> found;
    for (std::sregex_iterator one(code_.begin(), code_.end(), pattern), end; one != end; ++one)
      found.insert(trimmed((*one)[1].matched ? (*one)[1].str() : (*one)[2].str()));
    if (found.size() == 1) at->second = *found.begin();
    return at->second;
  }

 private:
  const std::string& code_;
  std::map<std::string, std::optional<std::string>> known_;
};

/// The dimensions' values, empty if some are not known. @param extra  what names have that the source does not define
/// @param unknown  receives other such names
std::vector<uint64_t> values(Names& names, const std::vector<std::string>& dimensions,
                             const std::map<std::string, int64_t>& extra, std::set<std::string>& unknown) {
  unsigned depth = 0;
  const Evaluator::Lookup lookup = [&](const std::string& name) -> std::optional<int64_t> {
    if (const auto given = extra.find(name); given != extra.end()) return given->second;
    const std::optional<std::string> text = depth < 8 ? names.definition(name) : std::nullopt;
    if (!text) {
      unknown.insert(name);
      return {};
    }
    ++depth;
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

/// Bytes of a built-in type, 0 for others.
uint32_t bytes_of(const std::string& type) {
  static const std::map<std::string, uint32_t, std::less<>> kScalars = {
      {"char", 1},    {"signed char", 1},    {"unsigned char", 1},  {"bool", 1},      {"int8_t", 1},
      {"uint8_t", 1}, {"short", 2},          {"unsigned short", 2}, {"int16_t", 2},   {"uint16_t", 2},
      {"half", 2},    {"__half", 2},         {"__nv_bfloat16", 2},  {"int", 4},       {"unsigned", 4},
      {"float", 4},   {"unsigned int", 4},   {"int32_t", 4},        {"uint32_t", 4},  {"half2", 4},
      {"__half2", 4}, {"__nv_bfloat162", 4}, {"double", 8},         {"long long", 8}, {"unsigned long long", 8},
      {"int64_t", 8}, {"uint64_t", 8},       {"size_t", 8},         {"long", 8},      {"unsigned long", 8}};
  if (const auto found = kScalars.find(type); found != kScalars.end()) return found->second;
  // Vectors: float4. Those of three elements have three times the bytes.
  static const std::map<std::string, uint32_t, std::less<>> kVectors = {
      {"char", 1},  {"uchar", 1}, {"short", 2}, {"ushort", 2},   {"int", 4},       {"uint", 4},
      {"float", 4}, {"long", 8},  {"ulong", 8}, {"longlong", 8}, {"ulonglong", 8}, {"double", 8}};
  if (type.empty() || type.back() < '1' || type.back() > '4') return 0;
  const auto found = kVectors.find(type.substr(0, type.size() - 1));
  return found == kVectors.end() ? 0 : found->second * static_cast<uint32_t>(type.back() - '0');
}

/// "float" of "extern __shared__ __align__(16) volatile float".
std::string type_of(std::string text) {
  text = std::regex_replace(text, std::regex("(__align__|alignas|__attribute__)\\s*\\([^()]*(\\([^()]*\\))?[^()]*\\)"),
                            " ");
  text = std::regex_replace(text, std::regex("\\b(extern|static|__shared__|volatile|const)\\b"), " ");
  text = std::regex_replace(text, std::regex("\\b(std::|::)"), "");
  return trimmed(std::regex_replace(text, std::regex("\\s+"), " "));
}

/// The declaration whose name stands here, if it is one.
std::optional<Declaration> declaration_at(const std::string& code, size_t name, size_t length) {
  const size_t start = code.find_last_of(";{}", name) + 1;  // npos + 1 is 0
  std::string before = code.substr(start, name - start);
  if (words_at(before, "__shared__").empty()) return {};
  if (const size_t line = before.rfind('#'); line != std::string::npos) return {};
  if (const size_t comma = before.find(','); comma != std::string::npos) {  // T first[2], name[3]
    before.resize(std::min(comma, before.find('[')));
    while (!before.empty() && !is_word(before.back())) before.pop_back();
    while (!before.empty() && is_word(before.back())) before.pop_back();
  }
  Declaration declaration;
  declaration.type = type_of(before);
  declaration.line =
      static_cast<uint32_t>(std::count(code.begin(), code.begin() + static_cast<ptrdiff_t>(name), '\n')) + 1;
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
  declaration.element_bytes = bytes_of(declaration.type);
  if (bytes == 0) return declaration.element_bytes != 0;
  Names names(code);
  std::set<std::string> unknown;
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

}  // namespace

std::optional<Declaration> find_declaration(std::string_view source, const std::string& name, uint32_t before,
                                            uint64_t bytes) {
  if (name.empty() || !std::ranges::all_of(name, is_word)) return {};
  const std::string code = without_comments(source);
  std::optional<Declaration> last;
  for (const size_t at : words_at(code, name)) {
    std::optional<Declaration> one = declaration_at(code, at, name.size());
    if (one && one->line <= before) last = std::move(one);
  }
  if (last && size_up(*last, code, bytes)) return last;
  return {};
}

}  // namespace bankshot::fix
