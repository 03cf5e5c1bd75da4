// What the text of TC'16 works out: access patterns, examples of searches, the shares of section 2, Figures 1 and 2.
#include <algorithm>

#include <fmt/format.h>

#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/hash_paper.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::experiment {
namespace {

using scratchpad::Pattern;
using scratchpad::PatternSet;

constexpr unsigned kWarp = 32;

unsigned passes(const scratchpad::Rules& rules, const std::vector<uint32_t>& words) {
  const PatternSet set{rules, false, 14, {load_of(words)}};
  return scratchpad::cost(rules, set.patterns[0], scratchpad::modulo_hash(scratchpad::size_of(set))).wavefronts;
}

PatternSet set_of(const std::vector<std::vector<uint32_t>>& accesses, unsigned address_bits) {
  PatternSet set;
  set.address_bits = address_bits;
  for (const std::vector<uint32_t>& words : accesses) set.patterns.push_back(load_of(words));
  return set;
}

std::string joined(const std::vector<uint32_t>& rows) {
  std::string text;
  for (const uint32_t row : rows) text += (text.empty() ? "" : " ") + std::to_string(std::countr_zero(row));
  return text;
}

}  // namespace

Result<Outcome> hash_examples(const Experiment& experiment, const Settings&) {
  Parameters parameters(experiment);
  // Equation 4, linearised: word = ty * (first) + tx * (second), tx below (third).
  const auto blocks = parameters.tuples("blocks", 1024);
  const std::vector<std::string> labels = parameters.texts("block_labels");
  const std::vector<unsigned> strides = parameters.numbers("strides", 1, 64);
  const std::vector<unsigned> example = parameters.numbers("example", 0, 31);
  const unsigned example_banks = parameters.number("example_bank_bits", 1, 5);
  const unsigned elements = parameters.number("elements", 1, scratchpad::kMaxAddressBits);
  if (!parameters.error() && labels.size() != blocks.size())
    parameters.fail("block_labels", "must be as many as blocks");
  if (example.size() > kWarp) parameters.fail("example", "must be at most 32 words");
  for (const std::vector<unsigned>& block : blocks) {
    if (block.size() != 3 || block[2] == 0)
      parameters.fail("blocks", "must be texts of three numbers, the last above 0");
  }
  if (parameters.error()) return *parameters.error();

  Outcome outcome;
  Rows rows(experiment, outcome);
  for (size_t k = 0; k < blocks.size(); ++k) {
    const std::vector<uint32_t> words = block_words(blocks[k][0], blocks[k][1], blocks[k][2], kWarp);
    rows.add(labels[k], static_cast<double>(passes({}, words)), "passes");
  }
  rows.add("XOR candidates of a vector", elements * (elements + 1) / 2.0, "pairs and single bits",
           fmt::format("of {} bits", elements));

  std::vector<std::vector<uint32_t>> accesses;
  for (const unsigned stride : strides) accesses.push_back(block_words(0, stride, kWarp, kWarp));
  const PatternSet of_strides = set_of(accesses, 14);
  const search::Found reduced =
      search::exhaustive_bitvector(search::problem(of_strides.rules, of_strides), false, true, {});
  const search::Found all =
      search::exhaustive_bitvector(search::problem(of_strides.rules, of_strides), false, false, {});
  rows.add("bit-vector XOR: candidates for the strides", static_cast<double>(reduced.evaluated), "hashes");
  rows.add("bit-vector XOR: candidates, of all",
           rounded(100.0 * static_cast<double>(reduced.evaluated) / static_cast<double>(all.evaluated), 1), "%",
           fmt::format("excess {} among them, {} among all", reduced.excess, all.excess));

  const std::string figure_5 = "bvxor:2,8,7";
  const Result<scratchpad::BankHash> hash = scratchpad::parse_hash(figure_5, {14, 5});
  std::string bits;
  for (const uint32_t row : hash->rows()) {
    bits += bits.empty() ? "" : ", ";
    bits += scratchpad::row_text(row);
  }
  rows.add("Figure 5: bank bits for k1=2, k2=8, mask=7", bits, "");

  PatternSet of_figure_6 = set_of({std::vector<uint32_t>(example.begin(), example.end())}, 5);
  of_figure_6.rules.banks = 1u << example_banks;
  const search::Found found = search::minimum_imbalance(search::problem(of_figure_6.rules, of_figure_6), false, {});
  rows.add("Figure 6: address bits by minimum imbalance", joined(found.bits), "");
  return outcome;
}

Result<Outcome> strided_loads(const Experiment& experiment, const Settings&) {
  Parameters parameters(experiment);
  const std::vector<unsigned> strides = parameters.numbers("strides", 1, 512);
  const std::vector<unsigned> bank_bytes = parameters.numbers("bank_bytes", 4, 8);
  const std::vector<std::string> labels = parameters.texts("labels");
  if (!parameters.error() && labels.size() != bank_bytes.size())
    parameters.fail("labels", "must be as many as bank_bytes");
  for (const unsigned bytes : bank_bytes) {
    if (bytes != 4 && bytes != 8) parameters.fail("bank_bytes", "must be 4 or 8");
  }
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  Rows rows(experiment, outcome);
  for (size_t k = 0; k < bank_bytes.size(); ++k) {
    scratchpad::Rules rules;
    rules.bank_bytes = bank_bytes[k];
    report::PlotPanel& panel = outcome.panels.emplace_back(
        report::PlotPanel{labels[k], "way", "passes", report::PlotKind::lines, false, {}, {}});
    for (const unsigned stride : strides) {
      report::PlotSeries& series = panel.series.emplace_back();
      series.label = fmt::format("stride {}", stride);
      double most = 0;
      for (unsigned way = 1; way <= kWarp; ++way) {
        std::vector<uint32_t> words(kWarp);
        for (unsigned lane = 0; lane < kWarp; ++lane) words[lane] = lane < way ? lane * stride : lane;
        series.points.push_back({static_cast<double>(way), static_cast<double>(passes(rules, words))});
        most = std::max(most, *series.points.back().y);
      }
      rows.add(fmt::format("{}: stride {}, most passes", labels[k], stride), most, "passes");
    }
  }
  return outcome;
}

Result<Outcome> shared_shares(const Experiment& experiment, const Settings& settings) {
  Outcome outcome;
  Rows rows(experiment, outcome);
  for (const Benchmark& benchmark : experiment.benchmarks) {
    if (settings.progress) settings.progress(benchmark.label);
    const Result<PatternSet> set = settings.trace(benchmark, benchmark.arguments);
    if (!set) return at(benchmark, set.error().message);
    const Result<Simulated> run = settings.simulate(benchmark, benchmark.arguments, {});
    if (!run) return at(benchmark, run.error().message);
    double loads = 0, stores = 0, atomics = 0, degrees = 0, conflicting = 0, conflicting_degrees = 0;
    const scratchpad::BankHash none = scratchpad::modulo_hash(scratchpad::size_of(*set));
    for (const Pattern& pattern : set->patterns) {
      const auto weight = static_cast<double>(pattern.weight);
      (pattern.kind == scratchpad::AccessKind::load    ? loads
       : pattern.kind == scratchpad::AccessKind::store ? stores
                                                       : atomics) += weight;
      const double degree = scratchpad::cost(set->rules, pattern, none).wavefronts;
      degrees += weight * degree;
      if (degree > 1) {
        conflicting += weight;
        conflicting_degrees += weight * degree;
      }
    }
    const double all = loads + stores + atomics;
    if (all == 0) return at(benchmark, "it does not access shared memory");
    rows.add(benchmark.label + ": loads", loads, "warp accesses");
    rows.add(benchmark.label + ": stores", stores, "warp accesses");
    rows.add(benchmark.label + ": instructions that access shared memory",
             rounded(100 * all / static_cast<double>(run->warp_instructions), 1), "%",
             fmt::format("of {} warp instructions of the PTX", run->warp_instructions));
    rows.add(
        benchmark.label + ": mean conflict degree", rounded(degrees / all, 1), "passes",
        conflicting == 0 ? "" : fmt::format("{:.1f} of the accesses that conflict", conflicting_degrees / conflicting));
  }
  return outcome;
}

}  // namespace bankshot::experiment
