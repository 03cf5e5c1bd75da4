#include "bankshot/lsp/line_map.hpp"

#include "bankshot/compare/alignment.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::lsp {

std::string comparable(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return printable(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
}

bool agree(const Quotes& quotes, const std::vector<std::string>& lines) {
  for (const auto& [line, text] : quotes) {
    if (line == 0 || line > lines.size() || comparable(lines[line - 1]) != comparable(text)) return false;
  }
  return true;
}

LineMap::LineMap(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  std::map<std::string, uint32_t> numbers;  // texts as numbers, which are compared quickly
  const auto numbered = [&](const std::vector<std::string>& lines) {
    std::vector<uint32_t> list;
    for (const std::string& line : lines)
      list.push_back(numbers.try_emplace(comparable(line), static_cast<uint32_t>(numbers.size())).first->second);
    return list;
  };
  for (const auto& [one, other] : compare::aligned(numbered(before), numbered(now)))
    now_.emplace(static_cast<uint32_t>(one + 1), static_cast<uint32_t>(other + 1));
}

LineMap::LineMap(const Quotes& quotes, const std::vector<std::string>& now) {
  std::map<std::string, std::vector<uint32_t>> places;
  for (size_t k = 0; k < now.size(); ++k) places[comparable(now[k])].push_back(static_cast<uint32_t>(k + 1));
  for (const auto& [line, text] : quotes) {
    const auto found = places.find(comparable(text));
    if (found == places.end()) continue;
    for (const uint32_t place : found->second) {
      if (place == line || found->second.size() == 1) now_.emplace(line, place);
    }
  }
}

std::optional<uint32_t> LineMap::now(uint32_t before) const {
  const auto found = now_.find(before);
  return found == now_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace bankshot::lsp
