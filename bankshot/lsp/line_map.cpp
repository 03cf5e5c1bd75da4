#include "bankshot/lsp/line_map.hpp"

#include <algorithm>

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

LineMap::LineMap(const std::vector<std::string>& before, const std::vector<std::string>& now) : is_whole_(true) {
  for (const std::string& line : before) {
    texts_.push_back(comparable(line));
    before_.push_back(static_cast<uint32_t>(texts_.size()));
    places_.push_back({before_.back()});
  }
  move({1, static_cast<uint32_t>(before.size()), static_cast<uint32_t>(now.size())}, now);
}

LineMap::LineMap(const Quotes& quotes, const std::vector<std::string>& now) {
  for (const auto& [line, text] : quotes) {
    texts_.push_back(comparable(text));
    before_.push_back(line);
    places_.push_back({line});
  }
  const auto count = static_cast<uint32_t>(now.size());
  move({1, std::max(count, before_.empty() ? 0 : before_.back()), count}, now);
}

void LineMap::move(const LineChange& change, const std::vector<std::string>& now) {
  const uint64_t behind = uint64_t{change.first} + change.removed;
  Indices inside;
  for (size_t k = 0; k < places_.size(); ++k) {
    uint32_t& line = places_[k].line;
    if (line >= behind) {
      line += change.added - change.removed;
    } else if (line >= change.first) {
      inside.push_back(k);
      places_[k].is_found = false;
    }
  }
  if (is_whole_)
    find_aligned(inside, change, now);
  else
    find_single(inside, change, now);
  const uint32_t last = change.first + change.added - 1;
  for (const size_t k : inside) {
    if (!places_[k].is_found) places_[k].line = std::min(places_[k].line, last);
  }
}

void LineMap::find_aligned(const Indices& inside, const LineChange& change, const std::vector<std::string>& now) {
  std::map<std::string, uint32_t> numbers;  // texts as numbers, which are compared quickly
  const auto number = [&](const std::string& text) {
    return numbers.try_emplace(text, static_cast<uint32_t>(numbers.size())).first->second;
  };
  std::vector<uint32_t> before, after;
  for (const size_t k : inside) before.push_back(number(texts_[k]));
  for (uint32_t k = 0; k < change.added; ++k) after.push_back(number(comparable(now[change.first - 1 + k])));
  for (const auto& [one, other] : compare::aligned(before, after))
    places_[inside[one]] = {change.first + static_cast<uint32_t>(other), true};
}

void LineMap::find_single(const Indices& inside, const LineChange& change, const std::vector<std::string>& now) {
  if (inside.empty()) return;
  std::map<std::string, std::vector<uint32_t>> lines;
  for (uint32_t line = change.first; line < change.first + change.added; ++line)
    lines[comparable(now[line - 1])].push_back(line);
  for (const size_t k : inside) {
    const auto found = lines.find(texts_[k]);
    if (found == lines.end()) continue;
    const bool is_there = std::ranges::find(found->second, places_[k].line) != found->second.end();
    if (is_there || found->second.size() == 1) places_[k] = {is_there ? places_[k].line : found->second[0], true};
  }
}

std::optional<size_t> LineMap::index_of(uint32_t before) const {
  const auto at = std::ranges::lower_bound(before_, before);
  if (at == before_.end() || *at != before) return std::nullopt;
  return static_cast<size_t>(at - before_.begin());
}

std::optional<uint32_t> LineMap::now(uint32_t before) const {
  const std::optional<size_t> index = index_of(before);
  return index && places_[*index].is_found ? std::optional(places_[*index].line) : std::nullopt;
}

uint32_t LineMap::last_place(uint32_t before) const {
  const std::optional<size_t> index = index_of(before);
  return index ? places_[*index].line : before;
}

size_t LineMap::size() const {
  return static_cast<size_t>(std::ranges::count_if(places_, [](const Place& place) { return place.is_found; }));
}

}  // namespace bankshot::lsp
