// Reading a TOML file so that everything that is wrong with it is told at once, with its place. Includes toml++, which
// is heavy: for files that read TOML, not for headers.
#pragma once

#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "bankshot/support/diagnostic.hpp"
#include "bankshot/support/nearest_name.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot {

inline Position position_of(const toml::source_region& source) { return {source.begin.line, source.begin.column}; }
inline Position position_of(const toml::node& node) { return position_of(node.source()); }

/// The base of readers: takes members of a known type and complains of others. The problems outlive it.
class TomlReader {
 public:
  TomlReader(const toml::table& root, Diagnostics& problems) : root_(root), problems_(problems) {}

 protected:
  void complain(Position position, std::string message) { problems_.push_back({position, std::move(message), {}}); }
  void complain(const toml::node& node, std::string message) { complain(position_of(node), std::move(message)); }

  /// @param where  " of a program", or empty
  void refuse_unknown(const toml::table& table, std::initializer_list<std::string_view> known, std::string_view where) {
    for (const auto& [key, node] : table) {
      if (std::ranges::find(known, key.str()) == known.end())
        complain(position_of(key.source()), fmt::format("unknown key '{}'{}; known keys: {}{}", key.str(), where,
                                                        fmt::join(known, ", "), did_you_mean(key.str(), known)));
    }
  }

  /// A string that is not empty; empty if it is not there or wrong.
  std::string text(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    if (!node->is_string()) {
      complain(*node, fmt::format("{} must be a string in quotes", key));
      return {};
    }
    if (node->as_string()->get().empty()) complain(*node, fmt::format("{} is empty", key));
    return node->as_string()->get();
  }

  /// Null if it is not there or wrong.
  const toml::table* section(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node != nullptr && !node->is_table()) complain(*node, fmt::format("{0} must be a section: [{0}]", key));
    return node == nullptr ? nullptr : node->as_table();
  }

  /// The tables of a list [[key]].
  template <class Take>
  void for_each_table(std::string_view key, Take take) {
    const toml::node* node = root_.get(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) return complain(*node, fmt::format("{0} must be a list of sections: [[{0}]]", key));
    for (const toml::node& item : *list) {
      if (!item.is_table())
        complain(item, fmt::format("{0} must be a list of sections: [[{0}]]", key));
      else
        take(*item.as_table());
    }
  }

  const toml::table& root_;
  Diagnostics& problems_;
};

/// The document, or nothing after a complaint about its syntax.
inline toml::parse_result parse_toml(std::string_view text, Diagnostics& problems) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    problems.push_back({position_of(parsed.error().source()), std::string(parsed.error().description()), {}});
  return parsed;
}

/// All problems in the order of the text.
inline Error problems_in(Diagnostics problems, std::string_view file, std::string_view text) {
  std::ranges::stable_sort(problems, {},
                           [](const Diagnostic& one) { return std::pair(one.position.line, one.position.column); });
  return Error{format_diagnostics(problems, file, text)};
}

}  // namespace bankshot
