#include "bankshot/experiment/hash_functions.hpp"

#include <algorithm>
#include <cassert>
#include <cstdio>

#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::experiment {
namespace {

using search::Found;
using search::Problem;

constexpr size_t kQuickTests = 2;

const HashFunction kFunctions[] = {
    {"fixed", "fixed bit-vector XOR", [](const Problem&) { return std::optional<Found>(); }},
    {"bitvector-xor", "bit-vector XOR",
     [](const Problem& p) { return std::optional(search::exhaustive_bitvector(p, false, true, {})); }},
    {"givargis-perm", "bitwise permutation, Givargis",
     [](const Problem& p) { return std::optional(search::givargis(p, false)); }},
    {"mih-perm", "bitwise permutation, minimum imbalance",
     [](const Problem& p) { return std::optional(search::minimum_imbalance(p, false)); }},
    {"givargis-xor", "bitwise XOR, Givargis",
     [](const Problem& p) { return std::optional(search::givargis(p, true)); }},
    {"mih-xor", "bitwise XOR, minimum imbalance",
     [](const Problem& p) { return std::optional(search::minimum_imbalance(p, true)); }},
};

}  // namespace

std::span<const HashFunction> hash_functions() { return kFunctions; }

std::vector<uint32_t> block_words(unsigned ty_stride, unsigned tx_stride, unsigned width, unsigned lanes) {
  std::vector<uint32_t> words(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) words[lane] = lane / width * ty_stride + lane % width * tx_stride;
  return words;
}

scratchpad::Pattern load_of(const std::vector<uint32_t>& words) {
  assert(words.size() <= scratchpad::kMaxLanes);
  scratchpad::Pattern pattern;
  for (size_t lane = 0; lane < words.size(); ++lane) {
    pattern.mask |= uint64_t{1} << lane;
    pattern.words[lane] = words[lane];
  }
  return pattern;
}

Result<scratchpad::PatternSet> patterns_of(const Benchmark& benchmark, const std::vector<std::string>& arguments,
                                           const Settings& settings) {
  if (benchmark.patterns.empty()) return settings.trace(benchmark, arguments);
  scratchpad::PatternSet set;
  for (const std::string& text : benchmark.patterns) {
    unsigned weight = 0, ty = 0, tx = 0, width = 0, lanes = 0;
    int end = 0;
    const bool read = text.find_first_not_of("0123456789 ") == std::string::npos && text.size() < 40 &&
                      std::sscanf(text.c_str(), "%u %u %u %u %u%n", &weight, &ty, &tx, &width, &lanes, &end) == 5 &&
                      static_cast<size_t>(end) == text.size();
    if (!read || weight == 0 || width == 0 || lanes == 0 || lanes > 32 || ty > 255 || tx > 255)
      return Error{"'" + text + "' is not WEIGHT TY TX WIDTH LANES, strides below 256 and 1 to 32 lanes"};
    set.patterns.push_back(load_of(block_words(ty, tx, width, lanes)));
    set.patterns.back().weight = weight;
  }
  return set;
}

uint64_t excess(const scratchpad::PatternSet& set, const scratchpad::BankHash& hash) {
  return scratchpad::excess(set.rules, set, hash);
}

std::vector<std::vector<std::string>> tests_of(const Benchmark& benchmark, bool quick) {
  std::vector<std::vector<std::string>> runs = benchmark.tests;
  if (quick) runs.resize(std::min(kQuickTests, runs.size()));
  return runs;
}

report::PlotPanel bars_by_benchmark(const std::string& title, const std::string& y_title,
                                    const std::vector<std::string>& benchmarks,
                                    const std::vector<std::vector<double>>& values) {
  report::PlotPanel panel{title, "", y_title, report::PlotKind::bars, false, benchmarks, {}};
  for (size_t f = 0; f < hash_functions().size(); ++f) {
    report::PlotSeries& series = panel.series.emplace_back();
    series.label = hash_functions()[f].label;
    for (size_t b = 0; b < values.size(); ++b) series.points.push_back({static_cast<double>(b), values[b][f]});
  }
  return panel;
}

}  // namespace bankshot::experiment
