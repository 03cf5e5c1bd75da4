// Where the lines of a report are in a text that was edited since.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankshot::lsp {

/// Lines that a report quotes, by number, from 1. Blanks around them do not matter, here and below.
using Quotes = std::map<uint32_t, std::string>;

/// A line as it is compared: without blanks around it and without control characters, as reports quote it.
std::string comparable(std::string_view line);

/// Whether all quoted lines are where the report has them.
bool agree(const Quotes& quotes, const std::vector<std::string>& lines);

/// Lines are numbers from 1, before and now.
class LineMap {
 public:
  LineMap() = default;
  /// Of a text that is known as it was: equal lines, aligned as by `diff`.
  LineMap(const std::vector<std::string>& before, const std::vector<std::string>& now);
  /// Of a text of which only the quotes are known: a line that is where it was, or else is there once.
  LineMap(const Quotes& quotes, const std::vector<std::string>& now);

  /// Nothing if the line was changed or removed, or could be several.
  std::optional<uint32_t> now(uint32_t before) const;
  size_t size() const { return now_.size(); }

 private:
  std::map<uint32_t, uint32_t> now_;
};

}  // namespace bankshot::lsp
