#include "bankshot/experiment/hash_functions.hpp"

#include <algorithm>

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
