#include "bankshot/simt/decode/modifier_order.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace bankshot::simt {
namespace {

constexpr size_t kAbsent = ~size_t{0};

/// Words that belong to the name of an instruction, by opcode.
bool names(const std::string& opcode, std::string_view word) {
  using Words = std::vector<std::string_view>;
  static const Words kHalves = {"lo", "hi", "wide"}, kBarrier = {"cta", "cluster", "warp", "arrive", "wait", "red"},
                     kAsync = {"async"}, kSurface = {"b", "p"};
  static const std::map<std::string, Words, std::less<>> kNames = {
      {"mul", kHalves},
      {"mad", kHalves},
      {"mul24", kHalves},
      {"mad24", kHalves},
      {"madc", kHalves},
      {"dp2a", kHalves},
      {"shf", {"l", "r"}},
      {"div", {"full"}},
      {"cvt", {"pack"}},
      {"cvta", {"to"}},
      {"bar", kBarrier},
      {"barrier", kBarrier},
      {"st", {"async", "bulk"}},
      {"red", kAsync},
      {"cp",
       {"async", "bulk", "reduce", "tensor", "prefetch", "commit_group", "wait_group", "wait_all", "mbarrier",
        "arrive"}},
      {"mbarrier",
       {"init", "inval", "expect_tx", "complete_tx", "arrive", "arrive_drop", "test_wait", "try_wait", "parity",
        "pending_count"}},
      {"clusterlaunchcontrol", {"try_cancel", "query_cancel", "async"}},
      {"createpolicy", {"fractional", "range", "cvt"}},
      {"fence", {"proxy"}},
      {"setmaxnreg", {"inc", "dec"}},
      {"tensormap", {"replace", "cp_fenceproxy"}},
      {"wmma", {"load", "store", "mma"}},
      {"suld", kSurface},
      {"sust", kSurface},
      {"sured", kSurface},
  };
  const auto found = kNames.find(opcode);
  return found != kNames.end() && std::find(found->second.begin(), found->second.end(), word) != found->second.end();
}

bool is_space(std::string_view word) {
  constexpr std::string_view kSpaces[] = {"global", "shared", "local", "const", "param"};
  return std::find(std::begin(kSpaces), std::end(kSpaces), word.substr(0, word.find(':'))) != std::end(kSpaces);
}

bool is_type(const std::string& word) { return ptx::type_named(word) != ptx::Type::none; }

/// The written modifiers, of which each is used once.
class Written {
 public:
  explicit Written(const std::vector<std::string>& words) : words_(words), used_(words.size()) {}

  /// Uses the modifiers of a choice, perhaps several that belong together ("relaxed.cta"), wherever they are.
  /// @return their places; none if one of them is missing
  std::vector<size_t> use(std::string_view choice) {
    std::vector<size_t> places;
    for (size_t begin = 0; begin <= choice.size();) {
      const size_t end = std::min(choice.find('.', begin), choice.size());
      const size_t place = find(choice.substr(begin, end - begin));
      if (place == kAbsent) {
        for (const size_t taken : places) used_[taken] = false;
        return {};
      }
      used_[place] = true;
      places.push_back(place);
      begin = end + 1;
    }
    return places;
  }
  bool all_used() const { return std::find(used_.begin(), used_.end(), false) == used_.end(); }

 private:
  size_t find(std::string_view word) const {
    for (size_t k = 0; k < words_.size(); ++k) {
      if (!used_[k] && words_[k] == word) return k;
    }
    return kAbsent;
  }

  const std::vector<std::string>& words_;
  std::vector<bool> used_;
};

/// The first choice in the order of writing: of a type for the result and one for the source, the first is the
/// result's.
std::vector<size_t> first_written(const Form::Modifier& modifier, Written& written) {
  std::vector<size_t> best;
  const std::string* chosen = nullptr;
  for (const std::string& choice : modifier.choices) {
    Written trial = written;
    std::vector<size_t> places = trial.use(choice);
    // Of several the longest: "relaxed.mmio.sys" has relaxed.sys and mmio.relaxed.sys.
    if (places.size() < std::max<size_t>(1, best.size())) continue;
    if (places.size() == best.size() && places[0] >= best[0]) continue;
    best = std::move(places);
    chosen = &choice;
  }
  return chosen == nullptr ? best : written.use(*chosen);
}

}  // namespace

std::optional<std::vector<std::string>> in_order_of(const Form& form, const std::vector<std::string>& words) {
  Written written(words);
  std::vector<size_t> places;
  for (const Form::Modifier& modifier : form.modifiers) {
    const std::vector<size_t> found = first_written(modifier, written);
    if (found.empty() && !modifier.optional) return {};
    places.insert(places.end(), found.begin(), found.end());
  }
  if (!written.all_used()) return {};
  std::vector<std::string> ordered;
  size_t last_type = 0, last_space = 0, last_layout = 0, of_name = 0;
  for (const size_t place : places) {
    const std::string& word = words[place];
    if (names(form.opcode, word) && place != of_name++) return {};
    for (auto [is, last] : {std::pair{is_type(word), &last_type}, std::pair{is_space(word), &last_space},
                            std::pair{word == "row" || word == "col", &last_layout}}) {
      if (is && place < *last) return {};
      if (is) *last = place;
    }
    ordered.push_back(word);
  }
  return ordered;
}

bool match_in_any_order(const Form& form, const std::vector<std::string>& written, Match& out) {
  const auto ordered = in_order_of(form, written);
  if (!ordered || !match(form, *ordered, out)) return false;
  // A match holds views: of what was written, which stays.
  for (std::string_view& modifier : out.modifiers) modifier = *std::find(written.begin(), written.end(), modifier);
  return true;
}

bool has_modifier(const Form& form, const std::string& modifier) {
  const std::string wanted = '.' + modifier + '.';
  return std::any_of(form.modifiers.begin(), form.modifiers.end(), [&](const Form::Modifier& one) {
    return std::any_of(one.choices.begin(), one.choices.end(),
                       [&](const std::string& choice) { return ('.' + choice + '.').find(wanted) != choice.npos; });
  });
}

}  // namespace bankshot::simt
