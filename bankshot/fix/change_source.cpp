#include "bankshot/fix/change_source.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "bankshot/fix/cpp_text.hpp"

namespace bankshot::fix {
namespace {

/// `length` characters at `at` give way to `text`.
struct Edit {
  size_t at = 0, length = 0;
  std::string text;
};

class Changer {
 public:
  Changer(std::string_view source, unsigned word_bytes)
      : source_(source), code_(without_comments(source)), word_bytes_(word_bytes) {}

  /// @return why this cannot be done
  std::optional<Error> change(const SourceChange& change) {
    const Declaration& declaration = *change.array.declaration;
    if (change.array.bytes == 0) return refused(change, "it is dynamic: its size is chosen at the launch");
    find(change);
    if (after_ == std::string::npos) return refused(change, "its declaration was not found again");
    const std::string text = change.hash ? hash_source(change.array, *change.hash, word_bytes_)
                                         : padding_source(change.array, *change.padding, word_bytes_);
    const std::vector<std::string> functions = functions_of(text);
    if (functions.empty()) return lengthen_rows(change, text);
    if (declaration.dimensions.size() > 2) return refused(change, "it has more than two dimensions");
    if (auto error = rewrite_indices(change, functions)) return error;
    grow(change);
    const size_t above = start_of_function();
    const std::string place_line = source_.substr(0, above).ends_with('\n') ? "" : "\n";
    std::string inserted;
    for (const std::string& line : functions) inserted += line + "\n";
    edits_.push_back({above, 0, place_line + renamed(change, inserted)});
    return {};
  }

  std::string result() {
    std::ranges::stable_sort(edits_, {}, &Edit::at);
    std::string text(source_);
    for (auto edit = edits_.rbegin(); edit != edits_.rend(); ++edit) text.replace(edit->at, edit->length, edit->text);
    return text;
  }

 private:
  static Error refused(const SourceChange& change, const std::string& why) {
    return Error{fmt::format("{} (line {}) is not changed in the source: {}", change.array.name,
                             change.array.declaration->line, why)};
  }

  uint32_t line_of(size_t at) const {
    return static_cast<uint32_t>(std::count(code_.begin(), code_.begin() + static_cast<ptrdiff_t>(at), '\n')) + 1;
  }

  size_t find_word(const std::string& word, size_t from) const {
    for (size_t at = code_.find(word, from); at != std::string::npos; at = code_.find(word, at + 1)) {
      if (is_word_at(code_, at, word)) return at;
    }
    return std::string::npos;
  }

  size_t skip_blanks(size_t at) const { return std::min(code_.find_first_not_of(" \t\r\n", at), code_.size()); }

  /// Where the bracket that opens here is closed.
  size_t closing(size_t at) const {
    int depth = 0;
    for (; at < code_.size(); ++at) {
      if (code_[at] == '[') ++depth;
      if (code_[at] == ']' && --depth == 0) return at;
    }
    return std::string::npos;
  }

  /// Sets name_, brackets_ and after_ to where the declaration stands.
  void find(const SourceChange& change) {
    after_ = std::string::npos;
    brackets_.clear();
    size_t line_start = 0;
    for (uint32_t line = 1; line < change.array.declaration->line && line_start != std::string::npos; ++line)
      line_start = code_.find('\n', line_start) + 1;
    name_ = find_word(change.array.name, line_start);
    if (name_ == std::string::npos || line_of(name_) != change.array.declaration->line) return;
    size_t at = skip_blanks(name_ + change.array.name.size());
    while (at < code_.size() && code_[at] == '[') {
      const size_t end = closing(at);
      if (end == std::string::npos) return;
      brackets_.emplace_back(at, end);
      at = skip_blanks(end + 1);
    }
    if (brackets_.size() == change.array.declaration->dimensions.size()) after_ = at;
  }

  /// Lines of C++, less comments; none if it is no more than a declaration.
  static std::vector<std::string> functions_of(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      if (!line.starts_with("//") && !line.starts_with("__shared__")) lines.push_back(std::move(line));
      at = end + 1;
    }
    return lines;
  }

  std::optional<Error> lengthen_rows(const SourceChange& change, const std::string& text) {
    if (text.find("__shared__") == std::string::npos) return refused(change, text.substr(3, text.size() - 4));
    const uint64_t more = uint64_t{change.padding->words} * word_bytes_ / change.array.declaration->element_bytes;
    edits_.push_back({brackets_.back().second, 0, fmt::format(" + {}", more)});
    return {};
  }

  /// Functions of arrays of one name in different functions must have different names.
  static std::string renamed(const SourceChange& change, std::string text) {
    const std::string suffix = "_" + change.array.name, better = suffix + own_suffix(change);
    for (size_t at = text.find(suffix); at != std::string::npos; at = text.find(suffix, at + better.size()))
      text.replace(at, suffix.size(), better);
    return text;
  }
  static std::string own_suffix(const SourceChange& change) {
    return "_" + std::to_string(change.array.declaration->line);
  }

  /// "place_tile" of the functions' text: the last one that is defined.
  static std::string function_name(const std::vector<std::string>& functions) {
    for (auto line = functions.rbegin(); line != functions.rend(); ++line) {
      const size_t at = line->find("unsigned ");
      if (line->starts_with("__host__") && at != std::string::npos)
        return line->substr(at + 9, line->find('(', at) - at - 9);
    }
    return {};
  }

  /// From the declaration to the end of its block.
  std::optional<Error> rewrite_indices(const SourceChange& change, const std::vector<std::string>& functions) {
    const std::string place = renamed(change, function_name(functions));
    const size_t dimensions = brackets_.size();
    int depth = 0;
    for (size_t at = after_; at < code_.size(); ++at) {
      if (code_[at] == '{') ++depth;
      if (code_[at] == '}' && --depth < 0) break;
      if (!is_word_at(code_, at, change.array.name)) continue;
      const size_t before = at == 0 ? std::string::npos : code_.find_last_not_of(" \t\r\n", at - 1);
      if (before != std::string::npos && code_[before] == '.') continue;
      std::vector<std::pair<size_t, size_t>> indices;
      size_t next = skip_blanks(at + change.array.name.size());
      while (next < code_.size() && code_[next] == '[' && indices.size() < dimensions) {
        const size_t end = closing(next);
        if (end == std::string::npos) break;
        indices.emplace_back(next, end);
        next = skip_blanks(end + 1);
      }
      const bool address = before != std::string::npos && code_[before] == '&';
      if (indices.size() < dimensions || address)
        return refused(change, fmt::format("line {} uses it other than by index", line_of(at)));
      if (dimensions == 1) {
        edits_.push_back({indices[0].first + 1, 0, place + "("});
        edits_.push_back({indices[0].second, 0, ")"});
      } else {
        edits_.push_back({at, 0, "(&"});
        edits_.push_back({indices[0].first, 1, fmt::format("[0][0])[{}((", place)});
        edits_.push_back({indices[0].second, indices[1].first - indices[0].second + 1,
                          fmt::format(") * ({}) + (", change.array.declaration->dimensions[1])});
        edits_.push_back({indices[1].second, 0, "))"});
      }
    }
    return {};
  }

  /// The declaration: as many elements as are needed, aligned to rows if it is hashed.
  void grow(const SourceChange& change) {
    const Declaration& declaration = *change.array.declaration;
    const uint64_t row =
        change.hash ? uint64_t{word_bytes_} << change.hash->bank_bits : uint64_t{change.padding->row} * word_bytes_;
    uint64_t bytes = (change.array.bytes + row - 1) / row * row;
    if (change.padding) bytes = change.array.bytes + change.array.bytes / row * change.padding->words * word_bytes_;
    if (bytes != change.array.bytes) {
      uint64_t others = declaration.element_bytes;
      for (size_t k = 1; k < declaration.sizes.size(); ++k) others *= declaration.sizes[k];
      const auto [open, close] = brackets_[0];
      edits_.push_back({open + 1, close - open - 1, std::to_string((bytes + others - 1) / others)});
    }
    if (change.hash) {
      const size_t shared = code_.rfind("__shared__", name_);
      edits_.push_back({shared + std::string_view("__shared__").size(), 0, fmt::format(" __align__({})", row)});
    }
  }

  /// Where the outermost function begins that the declaration stands in, behind what is before it.
  size_t start_of_function() const {
    std::vector<size_t> open;  // braces that enclose the declaration
    for (size_t at = 0; at < name_; ++at) {
      if (code_[at] == '{') open.push_back(at);
      if (code_[at] == '}' && !open.empty()) open.pop_back();
    }
    for (const size_t brace : open) {
      size_t start = brace == 0 ? 0 : code_.find_last_of(";{}", brace - 1) + 1;  // npos + 1 is 0
      // Lines of the preprocessor end where they end.
      for (size_t line = start; line < brace;) {
        const size_t first = code_.find_first_not_of(" \t\r", line), end = std::min(code_.find('\n', line), brace);
        if (first < end && code_[first] == '#') start = std::min(end + 1, brace);
        line = end + 1;
      }
      const std::string head = code_.substr(start, brace - start);
      const auto has = [&](const char* word) { return head.find(word) != std::string::npos; };
      if (has("namespace") || (has("extern") && !has("("))) continue;
      return skip_blanks(start);
    }
    return 0;
  }

  std::string_view source_;
  std::string code_;
  unsigned word_bytes_;
  size_t name_ = 0, after_ = 0;
  std::vector<std::pair<size_t, size_t>> brackets_;
  std::vector<Edit> edits_;
};

}  // namespace

Result<std::string> change_source(std::string_view source, const std::vector<SourceChange>& changes,
                                  unsigned word_bytes) {
  Changer changer(source, word_bytes);
  for (const SourceChange& change : changes) {
    if (const auto error = changer.change(change)) return *error;
  }
  return changer.result();
}

}  // namespace bankshot::fix
