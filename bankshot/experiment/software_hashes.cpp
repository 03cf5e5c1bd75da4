// Figures 10 and 11 of the XOR-hash paper (TC'16): hashes and padding in software, as `bankshot fix` applies them, on
// simulated GPUs.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>

#include "bankshot/experiment/hash_paper.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/experiment/rows.hpp"

namespace bankshot::experiment {
namespace {

/// What is applied: a column of the figures.
struct Technique {
  const char* label;  ///< in rows
  const char* verb;
};
enum : size_t { kPadding, kHash };
constexpr Technique kTechniques[] = {{"padding", "padded"}, {"hash", "hashed"}};

/// A benchmark on one GPU in one form beside the original; nothing if it stays as it is.
struct Applied {
  std::optional<KernelForm> form;
  std::string how;  ///< which hash or padding, and whose; or why there is none
};
struct Measured {
  const Benchmark* benchmark;
  KernelForm original;
  Applied by[std::size(kTechniques)];

  double speedup(size_t technique) const {
    const auto& form = by[technique].form;
    return form ? static_cast<double>(original.cycles) / static_cast<double>(form->cycles) : 1;
  }
};

/// Which conflicts a row counts.
struct Counted {
  const char* label;
  uint64_t (*of)(const KernelForm&);
};
constexpr Counted kTogether[] = {
    {"conflicts", [](const KernelForm& form) { return form.load_conflicts + form.store_conflicts; }}};
constexpr Counted kApart[] = {{"load conflicts", [](const KernelForm& form) { return form.load_conflicts; }},
                              {"store conflicts", [](const KernelForm& form) { return form.store_conflicts; }}};

/// One run is compared: the largest there is, or quickly the one on which hashes are searched.
const std::vector<std::string>& run_of(const Benchmark& benchmark, bool quick) {
  if (quick) return benchmark.arguments;
  if (!benchmark.timed.empty()) return benchmark.timed;
  return benchmark.tests.empty() ? benchmark.arguments : benchmark.tests[0];
}

class Software {
 public:
  Software(const Experiment& experiment, const Settings& settings, Outcome& outcome)
      : experiment_(experiment), settings_(settings), outcome_(outcome), rows_(experiment, outcome) {}

  std::optional<Error> compute() {
    Parameters parameters(experiment_);
    class_ = parameters.text("class");
    const std::vector<std::string> gpus = parameters.texts("gpus"), apart = parameters.texts("apart");
    for (const std::string& text : parameters.texts("by_hand")) {
      const auto [plain, by_hand] = halves(text);
      const Benchmark *const a = find(experiment_, plain), *const b = find(experiment_, by_hand);
      if (a != nullptr && b != nullptr)
        by_hand_[a] = b;
      else if (!experiment_.benchmarks.empty())
        parameters.fail("by_hand", "'" + text + "' is not the labels of two benchmarks with ' / ' between them");
    }
    for (const std::string& gpu : apart) {
      if (std::ranges::find(gpus, gpu) == gpus.end()) parameters.fail("apart", "'" + gpu + "' is not one of gpus");
    }
    if (parameters.error()) return *parameters.error();
    for (const std::string& gpu : gpus) {
      const bool is_apart = std::ranges::find(apart, gpu) != apart.end();
      if (auto error = add_gpu(gpu, is_apart ? std::span<const Counted>(kApart) : kTogether)) return error;
    }
    return std::nullopt;
  }

 private:
  std::optional<Error> add_gpu(const std::string& gpu, std::span<const Counted> counted) {
    std::vector<Measured> all;
    for (const Benchmark& benchmark : experiment_.benchmarks) {
      const auto is_it = [&](const auto& pair) { return pair.second == &benchmark; };
      if (std::ranges::any_of(by_hand_, is_it)) continue;
      if (settings_.progress) settings_.progress(benchmark.label + " on " + gpu);
      Result<Measured> one = measure(benchmark, gpu);
      if (!one) return one.error();
      all.push_back(std::move(*one));
    }
    if (all.empty()) return std::nullopt;
    for (const Counted& what : counted) add_conflicts(gpu, what, all);
    add_speedups(gpu, all);
    return std::nullopt;
  }

  Result<FixedKernel> fix(const Benchmark& benchmark, const std::string& gpu) {
    Result<FixedKernel> fixed = settings_.fix(benchmark, run_of(benchmark, settings_.quick), gpu, class_);
    if (!fixed) return at(benchmark, fixed.error().message);
    if (fixed->original.cycles == 0) return at(benchmark, "no cycle was simulated");
    return fixed;
  }

  Result<Measured> measure(const Benchmark& benchmark, const std::string& gpu) {
    const Result<FixedKernel> fixed = fix(benchmark, gpu);
    if (!fixed) return fixed.error();
    const std::string why = fixed->left_alone.empty() ? "it has no conflicts" : fixed->left_alone;
    Measured one{&benchmark, fixed->original, {}};
    one.by[kHash] = {fixed->hash, fixed->hash ? fixed->hashes : why};
    one.by[kPadding] = {fixed->padding, fixed->padding ? "by fix: " + fixed->paddings : why};
    if (const auto hand = by_hand_.find(&benchmark); hand != by_hand_.end()) {
      const Result<FixedKernel> other = fix(*hand->second, gpu);
      if (!other) return other.error();
      one.by[kPadding] = {other->original, "by hand: " + hand->second->label};
    }
    return one;
  }

  report::PlotPanel panel(const std::string& title, const std::string& y_title,
                          const std::vector<Measured>& all) const {
    report::PlotPanel panel{title, "", y_title, report::PlotKind::bars, false, {}, {}};
    for (const Measured& one : all) panel.categories.push_back(one.benchmark->label);
    for (const Technique& technique : kTechniques) panel.series.push_back({technique.label, {}});
    return panel;
  }

  /// Figure 10. A kernel that is left alone keeps all its conflicts; one that has none is no row and in no mean.
  void add_conflicts(const std::string& gpu, const Counted& what, const std::vector<Measured>& all) {
    report::PlotPanel bars = panel(fmt::format("{} removed, {}", what.label, gpu), "%", all);
    for (size_t t = 0; t < std::size(kTechniques); ++t) {
      double sum = 0;
      size_t count = 0;
      for (size_t b = 0; b < all.size(); ++b) {
        const Measured& one = all[b];
        const uint64_t before = what.of(one.original);
        if (before == 0) continue;
        const uint64_t after = one.by[t].form ? what.of(*one.by[t].form) : before;
        const double removed = 100 * (1 - static_cast<double>(after) / static_cast<double>(before));
        bars.series[t].points.push_back({static_cast<double>(b), rounded(removed, 1)});
        rows_.add(fmt::format("{}, {}, {} removed by {}", one.benchmark->label, gpu, what.label, kTechniques[t].label),
                  rounded(removed, 1), "%", fmt::format("{} of {} stay; {}", after, before, one.by[t].how));
        if (one.benchmark->aside) continue;
        sum += removed;
        ++count;
      }
      if (count == 0) continue;
      rows_.add(fmt::format("{}, {} removed by {}, on average", gpu, what.label, kTechniques[t].label),
                rounded(sum / static_cast<double>(count), 1), "%", over(count));
    }
    outcome_.panels.push_back(std::move(bars));
  }

  /// Figure 11. A kernel that stays as it is takes as long as before.
  void add_speedups(const std::string& gpu, const std::vector<Measured>& all) {
    report::PlotPanel bars = panel("speed-up, " + gpu, "times as fast", all);
    for (size_t t = 0; t < std::size(kTechniques); ++t) {
      std::vector<double> every, changed, by_hand;
      for (size_t b = 0; b < all.size(); ++b) {
        const Measured& one = all[b];
        const double speedup = one.speedup(t);
        bars.series[t].points.push_back({static_cast<double>(b), rounded(speedup, 3)});
        rows_.add(fmt::format("{}, {}, speed-up by {}", one.benchmark->label, gpu, kTechniques[t].label),
                  rounded(speedup, 3), "times as fast", speedup_note(one, t));
        if (one.benchmark->aside) continue;
        every.push_back(speedup);
        if (one.by[t].form) changed.push_back(speedup);
        if (by_hand_.contains(one.benchmark)) by_hand.push_back(speedup);
      }
      const auto mean = [&](const std::string& of_which, const std::vector<double>& speedups) {
        if (speedups.empty()) return;
        double logarithms = 0;
        for (const double one : speedups) logarithms += std::log(one);
        rows_.add(fmt::format("{}, geometric mean, {}{}", gpu, kTechniques[t].label, of_which),
                  rounded(std::exp(logarithms / static_cast<double>(speedups.size())), 3), "times as fast",
                  over(speedups.size()));
      };
      mean("", every);
      if (changed.size() != every.size()) mean(fmt::format(", of those {}", kTechniques[t].verb), changed);
      mean(", of those changed by hand", by_hand);
    }
    outcome_.panels.push_back(std::move(bars));
  }

  static std::string speedup_note(const Measured& one, size_t technique) {
    const Applied& applied = one.by[technique];
    if (!applied.form) return "as it is; " + applied.how;
    const auto more =
        static_cast<double>(applied.form->warp_instructions) / static_cast<double>(one.original.warp_instructions);
    return fmt::format("{} of {} cycles, {:+.1f} % instructions; {}", applied.form->cycles, one.original.cycles,
                       100 * (more - 1), applied.how);
  }

  static std::string over(size_t benchmarks) {
    return benchmarks == 1 ? "1 benchmark" : fmt::format("{} benchmarks", benchmarks);
  }

  const Experiment& experiment_;
  const Settings& settings_;
  Outcome& outcome_;
  Rows rows_;
  std::string class_;
  std::map<const Benchmark*, const Benchmark*> by_hand_;  ///< a benchmark to the one with the original's technique
};

}  // namespace

Result<Outcome> software_hashes(const Experiment& experiment, const Settings& settings) {
  Outcome outcome;
  if (auto error = Software(experiment, settings, outcome).compute()) return *error;
  return outcome;
}

}  // namespace bankshot::experiment
