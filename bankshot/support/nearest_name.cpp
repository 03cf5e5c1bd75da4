#include "bankshot/support/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace bankshot {
namespace {

std::string in_lower_case(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// The steps from a to b, or `limit` if they are no fewer.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  const size_t longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
  if (longer - shorter >= limit || longer > 64) return limit;
  std::vector<size_t> before, row(b.size() + 1), next(b.size() + 1);  // from i - 2, i - 1 and i characters of a
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, next);
  }
  return std::min(row[b.size()], limit);
}

}  // namespace

NearestName::NearestName(std::string_view misspelt)
    : misspelt_(in_lower_case(misspelt)), steps_(misspelt.size() < 6 ? 1 : 2) {}

void NearestName::compare(std::string_view candidate) {
  if (misspelt_.size() < 2) return;
  const size_t steps = distance(misspelt_, in_lower_case(candidate), steps_ + 1);
  if (steps > steps_ || (steps == steps_ && !found_.empty() && found_ <= candidate)) return;
  steps_ = steps;
  found_ = candidate;
}

void NearestName::compare_words(std::string_view text) {
  constexpr std::string_view kInWords = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_of(kInWords), text.size()));
    const size_t length = std::min(text.find_first_not_of(kInWords), text.size());
    if (length != 0) compare(text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string did_you_mean(const NearestName& nearest) {
  return nearest.found().empty() ? "" : "; did you mean '" + std::string(nearest.found()) + "'?";
}

}  // namespace bankshot
