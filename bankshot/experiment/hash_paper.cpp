// The experiments of the XOR-hash paper (TC'16) that need no time: Tables 1, 5 and 6, Figure 8.
#include "bankshot/experiment/hash_paper.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::experiment {
namespace {

using scratchpad::BankHash;
using scratchpad::PatternSet;

/// "0 1^4 5": the rows in the order in which the heuristic chose them.
std::string bits_text(const std::vector<uint32_t>& rows) {
  std::string text;
  for (uint32_t row : rows) {
    if (!text.empty()) text += " ";
    text += std::to_string(std::countr_zero(row));
    if (!std::has_single_bit(row)) text += "^" + std::to_string(std::countr_zero(row & (row - 1)));
  }
  return text;
}

std::string parameters(const HashFunction& function, const search::Found& found) {
  if (function.key != std::string_view("bitvector-xor")) return bits_text(found.bits);
  const auto v = scratchpad::as_bitvector(found.hash);
  return v ? fmt::format("k1={} k2={} mask={}", v->k1, v->k2, v->mask) : scratchpad::spec(found.hash);
}

/// The hash that published parameters stand for: "k1=0 k2=5 mask=7" or "0 1^4 5".
Result<BankHash> published_hash(const std::string& text, scratchpad::HashSize size) {
  unsigned k1 = 0, k2 = 0, mask = 0;
  if (std::sscanf(text.c_str(), "k1=%u k2=%u mask=%u", &k1, &k2, &mask) == 3) {
    return scratchpad::bitvector_xor_hash(size, k1, k2, mask);
  }
  std::string spec = "bitxor:";
  for (char c : text) spec += c == ' ' ? ',' : c;
  return scratchpad::parse_hash(spec, size);
}

/// How much of the conflicts a hash removes, in percent of those without a hash; nothing where there are none.
std::optional<double> removed(const PatternSet& set, const BankHash& hash) {
  const uint64_t before = excess(set, scratchpad::modulo_hash(scratchpad::size_of(set)));
  if (before == 0) return std::nullopt;
  return 100 * (1 - static_cast<double>(excess(set, hash)) / static_cast<double>(before));
}

/// Conflicts removed, in percent: by benchmark, then by function.
struct Removed {
  std::vector<std::vector<double>> percent;
};

/// An access as the paper's tool counts it: a word for each lane, whatever its width, and all lanes of a warp at once.
void count_a_word_per_lane(PatternSet& set) {
  for (scratchpad::Pattern& pattern : set.patterns) pattern.width = std::min(pattern.width, 4u);
  set.sorted = false;
}

Result<Removed> conflicts_removed(const Experiment& experiment, const Settings& settings, bool word_per_lane) {
  const auto trace = [&](const Benchmark& benchmark, const std::vector<std::string>& arguments) {
    Result<PatternSet> set = patterns_of(benchmark, arguments, settings);
    if (set && word_per_lane) count_a_word_per_lane(*set);
    return set;
  };
  Removed all;
  for (const Benchmark& benchmark : experiment.benchmarks) {
    if (settings.progress) settings.progress(benchmark.label);
    const Result<PatternSet> train = trace(benchmark, benchmark.arguments);
    if (!train) return at(benchmark, train.error().message);
    std::vector<PatternSet> tests;
    for (const auto& arguments : tests_of(benchmark, settings.quick)) {
      Result<PatternSet> test = trace(benchmark, arguments);
      if (!test) return at(benchmark, test.error().message);
      tests.push_back(std::move(*test));
    }
    if (tests.empty()) tests.push_back(*train);
    const search::Problem problem = search::problem(train->rules, *train);
    std::vector<double>& percents = all.percent.emplace_back();
    for (const HashFunction& function : hash_functions()) {
      const std::optional<search::Found> found = function.choose(problem);
      double sum = 0;
      for (const PatternSet& test : tests) {
        const scratchpad::HashSize size = scratchpad::size_of(test);
        BankHash hash = scratchpad::fixed_xor_hash(size);
        if (found) {
          hash = found->hash;
          hash.address_bits = std::max(hash.address_bits, size.address_bits);
        }
        const std::optional<double> percent = removed(test, hash);
        if (!percent) return at(benchmark, "there are no conflicts to remove");
        sum += *percent;
      }
      percents.push_back(sum / static_cast<double>(tests.size()));
    }
  }
  return all;
}

}  // namespace

Result<Outcome> class_sizes(const Experiment& experiment, const Settings&) {
  const std::map<std::string, const char*> labels = {{"all", "all functions"},
                                                     {"xor", "XOR"},
                                                     {"unique-xor", "unique XOR"},
                                                     {"bitvector-perm", "bit-vector"},
                                                     {"bitvector-xor", "bit-vector XOR"},
                                                     {"bitwise-perm", "bitwise permutation"},
                                                     {"bitwise-xor", "bitwise XOR"}};
  Outcome outcome;
  for (const auto& [name, size] : scratchpad::class_counts({14, 5})) {
    const auto label = labels.find(name);
    if (label == labels.end()) continue;  // a class that the paper does not have
    const bool exact = size.size() <= 15 && size.find('e') == std::string::npos;
    outcome.rows.push_back({label->second,
                            published(experiment, label->second),
                            exact ? Value(std::stod(size)) : Value(size),
                            "functions",
                            {}});
  }
  return outcome;
}

Result<Outcome> hash_parameters(const Experiment& experiment, const Settings& settings) {
  Outcome outcome;
  size_t same = 0, as_good = 0, all = 0;
  for (const Benchmark& benchmark : experiment.benchmarks) {
    if (settings.progress) settings.progress(benchmark.label);
    const Result<PatternSet> set = patterns_of(benchmark, benchmark.arguments, settings);
    if (!set) return at(benchmark, set.error().message);
    const search::Problem problem = search::problem(set->rules, *set);
    const uint64_t before = excess(*set, scratchpad::modulo_hash(problem.size));
    for (const HashFunction& function : hash_functions()) {
      const auto value = benchmark.published.find(function.key);
      const std::optional<search::Found> found = function.choose(problem);
      if (!found || value == benchmark.published.end()) continue;
      const Result<BankHash> theirs = published_hash(value->second, problem.size);
      if (!theirs) return at(benchmark, function.key + std::string(": ") + theirs.error().message);
      const uint64_t our_excess = excess(*set, found->hash), their_excess = excess(*set, *theirs);
      const std::string measured = parameters(function, *found);
      ++all;
      same += measured == value->second ? 1 : 0;
      as_good += our_excess == their_excess ? 1 : 0;
      outcome.rows.push_back(
          {benchmark.label + ", " + function.label, value->second, measured, "parameters",
           fmt::format("excess of {}: published {}, measured {}", before, their_excess, our_excess)});
    }
  }
  outcome.notes.push_back(
      fmt::format("{} of {} parameters are the published ones; {} of {} leave as many conflicts as those", same, all,
                  as_good, all));
  return outcome;
}

Result<Outcome> removed_by_benchmark(const Experiment& experiment, const Settings& settings) {
  const Result<Removed> all = conflicts_removed(experiment, settings, false);
  if (!all) return all.error();
  Outcome outcome;
  double conflict_free = 0;
  std::vector<std::string> names;
  std::vector<std::vector<double>> percents;
  for (size_t b = 0; b < experiment.benchmarks.size(); ++b) {
    conflict_free += all->percent[b][0] == 100 ? 1 : 0;
    names.push_back(experiment.benchmarks[b].label);
    std::vector<double>& shown = percents.emplace_back();
    for (size_t f = 0; f < hash_functions().size(); ++f) {
      const std::string label = experiment.benchmarks[b].label + ", " + hash_functions()[f].label;
      shown.push_back(rounded(all->percent[b][f], 1));
      outcome.rows.push_back({label, published(experiment, label), shown.back(), "% of the conflicts removed", {}});
    }
  }
  outcome.panels.push_back(bars_by_benchmark("conflicts removed", "% of the conflicts removed", names, percents));
  const std::string label = "benchmarks that the fixed hash leaves without conflicts";
  outcome.rows.push_back({label, published(experiment, label), conflict_free, "benchmarks", {}});
  return outcome;
}

Result<Outcome> removed_on_average(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const std::vector<std::string> countings = parameters.texts("counting");
  if (countings.empty()) parameters.fail("counting", "is missing");
  for (const std::string& counting : countings) {
    if (counting != "access-width" && counting != "word-per-lane")
      parameters.fail("counting", "must be access-width or word-per-lane");
  }
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  for (const std::string& counting : countings) {
    const bool word_per_lane = counting == "word-per-lane";
    const Result<Removed> all = conflicts_removed(experiment, settings, word_per_lane);
    if (!all) return all.error();
    for (size_t f = 0; f < hash_functions().size(); ++f) {
      double sum = 0, benchmarks = 0;
      for (size_t b = 0; b < all->percent.size(); ++b) {
        if (experiment.benchmarks[b].aside) continue;
        sum += all->percent[b][f];
        ++benchmarks;
      }
      const std::string label = hash_functions()[f].label + (word_per_lane ? ", a word a lane" : std::string());
      outcome.rows.push_back({label,
                              published(experiment, label),
                              rounded(sum / benchmarks, 1),
                              "% of the conflicts removed, mean of the benchmarks",
                              {}});
    }
  }
  return outcome;
}

}  // namespace bankshot::experiment
