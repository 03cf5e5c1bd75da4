#include "bankshot/compare/match_kernels.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "bankshot/compare/match_lines.hpp"

namespace bankshot::compare {
namespace {

using Group = std::pair<std::vector<size_t>, std::vector<size_t>>;

/// Words of a name, sorted.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  std::ranges::sort(words);
  return words;
}

size_t words_in_common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both.size();
}

std::string all_operations(const Kernel& kernel) {
  std::string all;
  for (const Line& line : kernel.lines) all += line.operations + "\n";
  return all;
}

class KernelMatcher {
 public:
  KernelMatcher(const std::vector<Kernel>& before, const std::vector<Kernel>& after)
      : before_(before), after_(after), partners_(before.size(), after.size()) {}

  std::vector<std::pair<size_t, size_t>> match() {
    for (const auto& [name, group] : groups([](const Kernel& kernel) { return kernel.name; })) in_order(group);
    for (const auto& [name, group] : groups([](const Kernel& kernel) { return kernel.demangled; })) in_order(group);
    for (const auto& [name, group] : groups([](const Kernel& kernel) { return base_name(kernel.demangled); })) {
      if (!single(group)) closest(group);
    }
    for (const auto& [operations, group] : groups(all_operations)) {
      if (!operations.empty()) single(group);
    }
    return partners_.pairs();
  }

 private:
  /// What is left, by a key that both sides have.
  template <class Key>
  std::map<std::string, Group> groups(Key key) const {
    std::map<std::string, Group> all;
    for (size_t k = 0; k < before_.size(); ++k) {
      if (partners_.is_alone_before(k)) all[key(before_[k])].first.push_back(k);
    }
    for (size_t k = 0; k < after_.size(); ++k) {
      if (partners_.is_alone_after(k)) all[key(after_[k])].second.push_back(k);
    }
    std::erase_if(all, [](const auto& entry) { return entry.second.first.empty() || entry.second.second.empty(); });
    return all;
  }

  void in_order(const Group& group) {
    std::vector<std::tuple<size_t, size_t, size_t>> ends;
    for (const size_t one : group.first) {
      for (const size_t other : group.second)
        ends.emplace_back(common_end(before_[one].file, after_[other].file), one, other);
    }
    std::ranges::stable_sort(ends, [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
    for (const auto& [common, one, other] : ends) {
      if (partners_.is_alone_before(one) && partners_.is_alone_after(other)) partners_.join(one, other);
    }
  }

  bool single(const Group& group) {
    if (group.first.size() != 1 || group.second.size() != 1) return false;
    partners_.join(group.first[0], group.second[0]);
    return true;
  }

  /// Joins those that are each other's only best.
  void closest(const Group& group) {
    std::vector<std::vector<std::string>> words, other_words;
    for (const size_t k : group.first) words.push_back(words_of(before_[k].demangled));
    for (const size_t k : group.second) other_words.push_back(words_of(after_[k].demangled));
    struct Best {
      size_t words = 0, who = kNone;
      void see(size_t common, size_t other) {
        if (common > words) {
          words = common;
          who = other;
        } else if (common == words) {
          who = kNone;
        }
      }
    };
    std::vector<Best> best(words.size()), other_best(other_words.size());
    for (size_t a = 0; a < words.size(); ++a) {
      for (size_t b = 0; b < other_words.size(); ++b) {
        const size_t common = words_in_common(words[a], other_words[b]);
        best[a].see(common, b);
        other_best[b].see(common, a);
      }
    }
    for (size_t a = 0; a < best.size(); ++a) {
      const size_t b = best[a].who;
      if (b != kNone && other_best[b].who == a) partners_.join(group.first[a], group.second[b]);
    }
  }

  const std::vector<Kernel>&before_, &after_;
  Partners partners_;
};

}  // namespace

std::string base_name(std::string_view demangled) {
  std::string name;
  unsigned depth = 0;
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (size_t at = 0; at < demangled.size(); ++at) {
    if (demangled.substr(at).starts_with(kUnnamed)) {
      at += kUnnamed.size() - 1;
      continue;
    }
    const char c = demangled[at];
    if (c == '<') {
      ++depth;
    } else if (c == '>') {
      depth -= depth == 0 ? 0 : 1;
    } else if (depth == 0) {
      if (c == '(') break;
      name += c;
    }
  }
  const size_t end = name.find_last_of(": ");
  return end == name.npos ? name : name.substr(end + 1);
}

std::vector<std::pair<size_t, size_t>> match_kernels(const std::vector<Kernel>& before,
                                                     const std::vector<Kernel>& after) {
  return KernelMatcher(before, after).match();
}

}  // namespace bankshot::compare
