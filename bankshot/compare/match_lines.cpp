#include "bankshot/compare/match_lines.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "bankshot/compare/alignment.hpp"

namespace bankshot::compare {
namespace {

using Indices = std::vector<size_t>;

/// Numbers for texts, so that they are compared quickly.
class Keys {
 public:
  uint32_t of(const std::string& text) {
    return known_.try_emplace(text, static_cast<uint32_t>(known_.size())).first->second;
  }

 private:
  std::map<std::string, uint32_t> known_;
};

std::map<std::string, Indices> by_file(const std::vector<Line>& lines) {
  std::map<std::string, Indices> files;
  for (size_t k = 0; k < lines.size(); ++k) files[lines[k].file].push_back(k);
  return files;
}

/// Takes the pairs of files that belong together out of both.
std::vector<std::pair<Indices, Indices>> take_pairs(std::map<std::string, Indices>& before,
                                                    std::map<std::string, Indices>& after) {
  std::vector<std::pair<Indices, Indices>> pairs;
  const auto take = [&](const std::string& one, const std::string& other) {
    pairs.emplace_back(std::move(before[one]), std::move(after[other]));
    before.erase(one);
    after.erase(other);
  };
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [file, lines] : before) {
    if (after.contains(file)) found.emplace_back(file, file);
  }
  for (const auto& [one, other] : found) take(one, other);
  std::vector<std::tuple<size_t, std::string, std::string>> ends;
  for (const auto& [one, lines] : before) {
    for (const auto& [other, others] : after) {
      if (const size_t common = common_end(one, other); common != 0) ends.emplace_back(common, one, other);
    }
  }
  std::ranges::stable_sort(ends, [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
  for (const auto& [common, one, other] : ends) {
    if (before.contains(one) && after.contains(other)) take(one, other);
  }
  if (before.size() == 1 && after.size() == 1) take(std::string(before.begin()->first), after.begin()->first);
  return pairs;
}

class Matcher {
 public:
  Matcher(const std::vector<Line>& before, const std::vector<Line>& after)
      : before_(before), after_(after), partners_(before.size(), after.size()) {}

  std::vector<std::pair<size_t, size_t>> match() {
    auto files = by_file(before_), other_files = by_file(after_);
    const auto pairs = take_pairs(files, other_files);
    for (const auto& [lines, others] : pairs) anchors_.push_back(align_texts(lines, others));
    match_moved();
    for (size_t k = 0; k < pairs.size(); ++k) fill_gaps(pairs[k].first, pairs[k].second, anchors_[k]);
    return partners_.pairs();
  }

 private:
  /// Lines that `key` maps to equal texts, in places of the lists.
  template <class Key>
  std::vector<std::pair<size_t, size_t>> align(const Indices& lines, const Indices& others, Key key) {
    Keys keys;
    std::vector<uint32_t> one, other;
    for (const size_t k : lines) one.push_back(keys.of(key(before_[k])));
    for (const size_t k : others) other.push_back(keys.of(key(after_[k])));
    const auto pairs = aligned(one, other);
    for (const auto& [a, b] : pairs) partners_.join(lines[a], others[b]);
    return pairs;
  }

  std::vector<std::pair<size_t, size_t>> align_texts(const Indices& lines, const Indices& others) {
    const auto named = [](const std::vector<Line>& all, const Indices& some) {
      return std::ranges::none_of(some, [&](size_t k) { return all[k].text.empty(); });
    };
    if (named(before_, lines) && named(after_, others))
      return align(lines, others, [](const Line& line) { return line.text; });
    return align(lines, others, [](const Line& line) { return line.operations; });
  }

  void match_moved() {
    std::map<std::string, std::pair<Indices, Indices>> left;
    for (size_t k = 0; k < before_.size(); ++k) {
      if (partners_.is_alone_before(k) && !before_[k].text.empty()) left[before_[k].text].first.push_back(k);
    }
    for (size_t k = 0; k < after_.size(); ++k) {
      if (partners_.is_alone_after(k) && !after_[k].text.empty()) left[after_[k].text].second.push_back(k);
    }
    for (const auto& [text, places] : left) {
      if (places.first.size() == 1 && places.second.size() == 1) partners_.join(places.first[0], places.second[0]);
    }
  }

  /// @param anchors  places in the lists that were aligned
  void fill_gaps(const Indices& lines, const Indices& others, const std::vector<std::pair<size_t, size_t>>& anchors) {
    size_t begin = 0, other_begin = 0;
    const auto gap = [&](size_t end, size_t other_end) {
      Indices left, other_left;
      for (size_t k = begin; k < end; ++k) {
        if (partners_.is_alone_before(lines[k])) left.push_back(lines[k]);
      }
      for (size_t k = other_begin; k < other_end; ++k) {
        if (partners_.is_alone_after(others[k])) other_left.push_back(others[k]);
      }
      if (left.empty() || other_left.empty()) return;
      align(left, other_left, [](const Line& line) { return line.operations; });
      std::erase_if(left, [&](size_t k) { return !partners_.is_alone_before(k); });
      std::erase_if(other_left, [&](size_t k) { return !partners_.is_alone_after(k); });
      for (size_t k = 0; left.size() == other_left.size() && k < left.size(); ++k)
        partners_.join(left[k], other_left[k]);
    };
    for (const auto& [at, other_at] : anchors) {
      gap(at, other_at);
      begin = at + 1;
      other_begin = other_at + 1;
    }
    gap(lines.size(), others.size());
  }

  const std::vector<Line>&before_, &after_;
  Partners partners_;
  std::vector<std::vector<std::pair<size_t, size_t>>> anchors_;
};

}  // namespace

size_t common_end(std::string_view a, std::string_view b) {
  size_t common = 0;
  while (!a.empty() && !b.empty()) {
    const size_t begin = a.rfind('/') + 1, other = b.rfind('/') + 1;  // of the last components; npos + 1 is 0
    if (a.substr(begin) != b.substr(other)) break;
    ++common;
    a = a.substr(0, begin == 0 ? 0 : begin - 1);
    b = b.substr(0, other == 0 ? 0 : other - 1);
  }
  return common;
}

std::vector<std::pair<size_t, size_t>> match_lines(const std::vector<Line>& before, const std::vector<Line>& after) {
  return Matcher(before, after).match();
}

}  // namespace bankshot::compare
