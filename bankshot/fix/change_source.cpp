#include "bankshot/fix/change_source.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "bankshot/fix/cpp_text.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::fix {
namespace {

/// `length` characters at `at` give way to `text`.
struct Edit {
  size_t at = 0, length = 0;
  std::string text;
};

/// A pair of brackets.
struct Brackets {
  size_t open = 0, close = 0;
};

/// Where an array is used: `tile[y][x]`, `&tile[y]`, `tile`.
struct Use {
  size_t at = 0;
  std::vector<Brackets> indices;  ///< at most as many as the array has dimensions
  bool address = false;           ///< & stands before it, or may
};

/// One array of a source.
class Changer {
 public:
  /// @param code  without comments  @param body  without directives either
  Changer(const std::string& code, const std::string& body, const SourceChange& change, unsigned word_bytes)
      : code_(code),
        body_(body),
        array_(change.array),
        unit_(change.unit),
        declaration_(*change.array.declaration),
        recipe_(recipe(change.array, change.move, word_bytes, fmt::format("{}_{}", array_.name, declaration_.line))) {}

  /// Adds what is to change. @return why this cannot be done
  std::optional<Error> change(std::vector<Edit>& edits) {
    if (!recipe_.refusal.empty()) return refused(recipe_.refusal);
    if (array_.bytes == 0 && recipe_.alignment == 0)
      return refused("it is dynamic: its launch, which is not changed, would have to give it more bytes");
    if (array_.bytes == 0 && unit_ % recipe_.row != 0)
      return refused(fmt::format(
          "it is dynamic: a launch gives it bytes that are no multiple of {}, a row of the banks", recipe_.row));
    if (!find_declaration()) return refused("its declaration was not found again");
    if (auto error = find_uses()) return error;
    if (recipe_.longer_rows != 0) return lengthen_rows(edits);
    if (!recipe_.element.empty()) return lengthen_elements(edits);
    if (auto error = rewrite_indices(edits)) return error;
    if (auto error = grow(edits)) return error;
    insert_functions(edits);
    return {};
  }

 private:
  Error refused(const std::string& why) const {
    return Error{fmt::format("{} (line {}) is not changed in the source: {}", array_.name, declaration_.line, why)};
  }
  Error refused(size_t at, const char* what) const {
    return refused(fmt::format("line {} {}", line_of(code_, at), what));
  }

  size_t skip_blanks(size_t at) const { return std::min(body_.find_first_not_of(" \t\r\n", at), body_.size()); }
  /// The last character before a place that is no blank; npos if there is none.
  size_t before(size_t at) const { return at == 0 ? std::string::npos : body_.find_last_not_of(" \t\r\n", at - 1); }
  /// Ends there: "->".
  bool ends_with(size_t last, std::string_view what) const {
    return last != std::string::npos && last + 1 >= what.size() &&
           std::string_view(body_).substr(last + 1 - what.size(), what.size()) == what;
  }
  /// The word whose last character stands there, or empty.
  std::string_view word_that_ends(size_t last) const {
    if (last == std::string::npos) return {};
    size_t first = last + 1;
    while (first > 0 && is_word(body_[first - 1])) --first;
    return std::string_view(body_).substr(first, last + 1 - first);
  }

  std::vector<Brackets> brackets_behind(size_t at, size_t most) const {
    std::vector<Brackets> all;
    for (at = skip_blanks(at); at < body_.size() && body_[at] == '[' && all.size() < most;) {
      const size_t end = closing(body_, at);
      if (end == std::string::npos) break;
      all.push_back({at, end});
      at = skip_blanks(end + 1);
    }
    return all;
  }

  /// Sets name_, brackets_ and after_ to where the declaration stands.
  bool find_declaration() {
    for (const size_t at : words_at(body_, array_.name)) {
      if (line_of(body_, at) != declaration_.line) continue;
      name_ = at;
      brackets_ = brackets_behind(at + array_.name.size(), SIZE_MAX);
      if (brackets_.empty() || brackets_.size() != declaration_.dimensions.size()) return false;
      after_ = brackets_.back().close + 1;
      end_ = body_.find(';', after_);
      return end_ != std::string::npos;
    }
    return false;
  }

  /// Uses from the declaration to the end of its block.
  std::optional<Error> find_uses() {
    int depth = 0;
    size_t end = after_;
    for (; end < body_.size(); ++end) {
      if (body_[end] == '{') ++depth;
      if (body_[end] == '}' && --depth < 0) break;
    }
    for (const size_t at : words_at(code_, array_.name)) {
      const bool directive = body_[at] == ' ';
      if (directive && is_defined(at)) return refused(at, "uses it in a macro");
      if (directive || at < after_ || at >= end) continue;
      const size_t last = before(at);
      if (ends_with(last, ".") || ends_with(last, "->") || ends_with(last, "::")) continue;  // another's
      if (is_declared_again(at)) return refused(at, "declares another of this name");
      const std::optional<bool> address = is_address(last);
      if (!address) return refused(at, "takes its address, or may");
      uses_.push_back({at, brackets_behind(at + array_.name.size(), brackets_.size()), *address});
    }
    if (uses_.empty()) return refused("nothing uses it by its name");
    return {};
  }

  /// Whether a place in a line of the preprocessor, or in one that continues it, is in the text of a #define.
  bool is_defined(size_t at) const {
    size_t line = code_.rfind('\n', at);
    while (line != std::string::npos && line > 0) {
      const size_t last = code_.find_last_not_of(" \t\r", line - 1);
      if (last == std::string::npos || code_[last] != '\\') break;
      line = code_.rfind('\n', line - 1);
    }
    const size_t start = line == std::string::npos ? 0 : line + 1;
    return !words_at(std::string_view(code_).substr(start, at - start), "define").empty();
  }

  /// "float tile[4];" in an inner block, "int x, tile[4];".
  bool is_declared_again(size_t at) const {
    static const std::set<std::string_view> kNoTypes = {"return", "else",      "do",       "case",
                                                        "throw",  "co_return", "co_yield", "goto"};
    const size_t last = before(at);
    const std::string_view word = word_that_ends(last);
    if (!word.empty()) return !kNoTypes.contains(word);
    if (!ends_with(last, ",")) return false;
    // In a list: is it one of declarations?
    const size_t start = skip_blanks(body_.find_last_of(";{}", at) + 1);
    int depth = 0;
    for (size_t i = start; i < at; ++i)
      depth += body_[i] == '(' || body_[i] == '[' ? 1 : body_[i] == ')' || body_[i] == ']' ? -1 : 0;
    size_t first = start;
    while (first < at && is_word(body_[first])) ++first;
    const size_t second = skip_blanks(first);
    return depth == 0 && first > start && second > first && is_word(body_[second]) &&
           !kNoTypes.contains(std::string_view(body_).substr(start, first - start));
  }

  /// Whether & stands before a use; nothing if it may be a bitwise and of a cast's result, or an address.
  std::optional<bool> is_address(size_t last) const {
    if (!ends_with(last, "&") || ends_with(last, "&&")) return false;
    const size_t left = before(last);
    if (left == std::string::npos) return true;
    if (ends_with(left, "]")) return false;
    if (const std::string_view word = word_that_ends(left); !word.empty()) return word == "return";
    if (!ends_with(left, ")")) return true;
    // (mask) & tile[i], (float4*)&tile[i]: what is between the parentheses?
    int depth = 0;
    size_t open = left;
    for (;; --open) {
      if (body_[open] == ')') ++depth;
      if (body_[open] == '(' && --depth == 0) break;
      if (open == 0) return std::nullopt;
    }
    if (!word_that_ends(before(open)).empty()) return false;  // f(x) & tile[i]
    const std::string_view inside = std::string_view(body_).substr(open + 1, left - open - 1);
    const bool expression = inside.find_first_of("+-/%|^[(") != std::string_view::npos;
    return expression ? std::optional(false) : std::nullopt;
  }

  /// atomicAdd(&tile[i], 1)
  bool is_atomic_argument(const Use& use) const {
    const size_t open = before(before(use.at));
    return ends_with(open, "(") && word_that_ends(before(open)).starts_with("atomic");
  }

  std::string text_in(const Brackets& b) const {
    const std::string text = body_.substr(b.open + 1, b.close - b.open - 1);
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
  }

  /// Rows stay rows: what is used is an element, a row or their addresses, but not the array's start.
  std::optional<Error> lengthen_rows(std::vector<Edit>& edits) const {
    for (const Use& use : uses_) {
      const bool whole = use.indices.size() == brackets_.size() && !use.address;
      if (!whole && std::ranges::all_of(use.indices, [&](const Brackets& b) { return text_in(b) == "0"; }))
        return refused(use.at, "uses it other than by index");
    }
    edits.push_back({brackets_.back().close, 0, fmt::format(" + {}", recipe_.longer_rows)});
    return {};
  }

  /// Whether it is an element; of those whose address is taken, only what an atomic is given.
  bool is_element(const Use& use) const {
    return use.indices.size() == brackets_.size() && (!use.address || is_atomic_argument(use));
  }

  /// Another type, declared before it, whose member is what the elements were.
  std::optional<Error> lengthen_elements(std::vector<Edit>& edits) const {
    const size_t start = skip_blanks(body_.find_last_of(";{}", name_) + 1);  // npos + 1 is 0
    const std::string_view statement = std::string_view(body_).substr(start, end_ - start);
    if (statement.find(',') != std::string_view::npos) return refused("its declaration is one of several names");
    const std::vector<size_t> types = words_at(statement, declaration_.type);
    if (types.size() != 1) return refused("its declaration does not have the type once, as " + declaration_.type);
    for (const Use& use : uses_) {
      if (!is_element(use)) return refused(use.at, "uses it other than by index");
      edits.push_back({use.indices.back().close + 1, 0, ".element"});
    }
    std::string before = recipe_.functions;
    std::ranges::replace(before, '\n', ' ');
    edits.push_back({start, 0, before});
    edits.push_back({start + types[0], declaration_.type.size(), recipe_.element});
    return {};
  }

  std::optional<Error> rewrite_indices(std::vector<Edit>& edits) const {
    if (brackets_.size() > 2) return refused("it has more than two dimensions");
    const std::string& place = recipe_.place.begin()->second;
    for (const Use& use : uses_) {
      const auto& [at, indices, address] = use;
      if (!is_element(use)) return refused(at, "uses it other than by index");
      if (indices.size() == 1) {
        edits.push_back({indices[0].open + 1, 0, place + "("});
        edits.push_back({indices[0].close, 0, ")"});
      } else {
        edits.push_back({at, 0, "(&"});
        edits.push_back({indices[0].open, 1, fmt::format("[0][0])[{}((", place)});
        edits.push_back({indices[0].close, indices[1].open - indices[0].close + 1,
                         fmt::format(") * ({}) + (", declaration_.dimensions[1])});
        edits.push_back({indices[1].close, 0, "))"});
      }
    }
    return {};
  }

  /// The declaration: as many elements as are needed, aligned to rows if it is hashed.
  std::optional<Error> grow(std::vector<Edit>& edits) const {
    if (recipe_.bytes != array_.bytes) {
      if (brackets_.size() > 1 && declaration_.sizes.empty()) return refused("its dimensions are not known");
      uint64_t others = declaration_.element_bytes;
      for (size_t k = 1; k < declaration_.sizes.size(); ++k) others *= declaration_.sizes[k];
      const auto [open, close] = brackets_[0];
      edits.push_back({open + 1, close - open - 1, std::to_string((recipe_.bytes + others - 1) / others)});
    }
    if (recipe_.alignment != 0) {
      const size_t shared = body_.rfind("__shared__", name_);
      edits.push_back(
          {shared + std::string_view("__shared__").size(), 0, fmt::format(" __align__({})", recipe_.alignment)});
    }
    return {};
  }

  /// Above the outermost function that the declaration stands in; what they need to know of it behind it.
  void insert_functions(std::vector<Edit>& edits) const {
    const size_t above = start_of_function();
    const std::string condition =
        array_.bytes != 0 ? "" : fmt::format("// Launches give {} a multiple of {} bytes.\n", array_.name, recipe_.row);
    edits.push_back({above, 0, (above == 0 || code_[above - 1] == '\n' ? "" : "\n") + condition + recipe_.functions});
    if (const std::string check = size_check(declaration_); !check.empty()) edits.push_back({end_ + 1, 0, " " + check});
  }

  size_t start_of_function() const {
    for (const Block& block : enclosing_blocks(body_, name_)) {
      const std::string_view head = std::string_view(body_).substr(block.head, block.brace - block.head);
      if (!words_at(head, "namespace").empty()) continue;
      if (!words_at(head, "extern").empty() && head.find('(') == std::string_view::npos) continue;
      return skip_blanks(block.head);
    }
    return 0;
  }

  const std::string& code_;
  const std::string& body_;
  const SourceArray& array_;
  uint64_t unit_;
  const Declaration& declaration_;
  Recipe recipe_;
  size_t name_ = 0, after_ = 0, end_ = 0;  ///< the declaration's name, what is behind its brackets, its semicolon
  std::vector<Brackets> brackets_;
  std::vector<Use> uses_;
};

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

/// Edits of one line, or of neighbouring ones that an edit joins, as one. @param edits  by place
std::vector<LineEdit> whole_lines(std::string_view source, const std::vector<Edit>& edits) {
  const auto end_of_line = [&](size_t at) { return std::min(source.find('\n', at), source.size()); };
  std::vector<LineEdit> all;
  for (size_t k = 0; k < edits.size();) {
    const size_t begin = edits[k].at == 0 ? 0 : source.rfind('\n', edits[k].at - 1) + 1;  // npos + 1 is 0
    size_t at = begin, end = end_of_line(edits[k].at);
    std::string text;
    for (; k < edits.size() && edits[k].at <= end; ++k) {
      text.append(source.substr(at, edits[k].at - at)).append(edits[k].text);
      at = edits[k].at + edits[k].length;
      end = std::max(end, end_of_line(at));
    }
    text.append(source.substr(at, end - at));
    all.push_back({line_of(source, begin), split_lines(source.substr(begin, end - begin)), split_lines(text)});
  }
  return all;
}

}  // namespace

ChangedText change_source(std::string_view source, const std::vector<SourceChange>& changes, unsigned word_bytes) {
  const std::string code = without_comments(source), body = without_directives(code);
  std::vector<Edit> edits;
  ChangedText changed;
  for (const SourceChange& change : changes) {
    std::vector<Edit> these;
    const auto error = Changer(code, body, change, word_bytes).change(these);
    changed.refusals.push_back(error ? error->message : "");
    if (!error) edits.insert(edits.end(), these.begin(), these.end());
  }
  std::ranges::stable_sort(edits, {}, &Edit::at);
  changed.edits = whole_lines(source, edits);
  changed.text = source;
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    changed.text.replace(edit->at, edit->length, edit->text);
  return changed;
}

}  // namespace bankshot::fix
