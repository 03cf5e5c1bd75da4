// Where the lines of a report are in a text that was edited since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/lsp/document.hpp"

namespace bankshot::lsp {

/// Lines that a report quotes, by number, from 1. Blanks around them do not matter, here and below.
using Quotes = std::map<uint32_t, std::string>;

/// A line as it is compared: without blanks around it and without control characters, as reports quote it.
std::string comparable(std::string_view line);

/// Whether all quoted lines are where the report has them.
bool agree(const Quotes& quotes, const std::vector<std::string>& lines);

/// Follows lines through edits. Lines are numbers from 1, before and now.
class LineMap {
 public:
  LineMap() = default;
  /// Of a text that is known as it was: equal lines, aligned as by `diff`.
  LineMap(const std::vector<std::string>& before, const std::vector<std::string>& now);
  /// Of a text of which only the quotes are known: a line that is where it was, or else is there once.
  LineMap(const Quotes& quotes, const std::vector<std::string>& now);

  /// After an edit. Lines behind it are only counted on; those in it are searched in what took their place, in the same
  /// way as at first. So a line whose edit is taken back is found again.
  /// @param now  the text with the edit
  void move(const LineChange& change, const std::vector<std::string>& now);

  /// Nothing if the line was changed or removed, or could be several.
  std::optional<uint32_t> now(uint32_t before) const;
  /// Where the line is, or else where it was last; of a line that is not known its own number.
  uint32_t last_place(uint32_t before) const;
  /// How many lines are found.
  size_t size() const;

 private:
  struct Place {
    uint32_t line = 0;
    bool is_found = false;  ///< its text is there
  };
  using Indices = std::vector<size_t>;
  void find_aligned(const Indices& inside, const LineChange& change, const std::vector<std::string>& now);
  void find_single(const Indices& inside, const LineChange& change, const std::vector<std::string>& now);
  std::optional<size_t> index_of(uint32_t before) const;

  bool is_whole_ = false;           ///< all lines of the text before are known
  std::vector<uint32_t> before_;    ///< ascending
  std::vector<std::string> texts_;  ///< of these lines, comparable
  std::vector<Place> places_;       ///< of these lines, now
};

}  // namespace bankshot::lsp
