// How much what hashes gain depends on choices that a paper does not tell: the same point for many of them.
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/rows.hpp"

namespace bankshot::experiment {
namespace {

/// An option of the program with the values that it takes: "--lines=" of 4, 12, 40.
struct Choice {
  std::string option;
  std::vector<unsigned> values;
};

/// One run on both machines.
struct Swept {
  std::vector<unsigned> chosen;  ///< a value of each choice
  double gain = 0;
};

/// @param gains  not empty
double median_of(std::vector<double> gains) {
  std::ranges::sort(gains);
  const size_t half = gains.size() / 2;
  return gains.size() % 2 == 1 ? gains[half] : (gains[half - 1] + gains[half]) / 2;
}

class GainSweep {
 public:
  GainSweep(const Experiment& experiment, const Settings& settings)
      : experiment_(experiment), settings_(settings), parameters_(experiment) {
    hashes_ = parameters_.texts("hashes");
    if (hashes_.empty()) parameters_.fail("hashes", "is missing");
    for (const std::string& text : parameters_.texts(settings.quick ? "quick_choices" : "choices")) read_choice(text);
    if (choices_.empty()) parameters_.fail("choices", "is missing");
  }

  Result<Outcome> outcome() {
    if (parameters_.error()) return *parameters_.error();
    for (const Benchmark& benchmark : experiment_.benchmarks) {
      std::map<std::vector<unsigned>, double> without;
      if (const auto error = sweep(benchmark, "none", without)) return *error;
      for (const std::string& hash : hashes_) {
        std::map<std::vector<unsigned>, double> with;
        if (const auto error = sweep(benchmark, hash, with)) return *error;
        std::vector<Swept> all;
        for (const auto& [chosen, cycles] : with) all.push_back({chosen, without[chosen] / cycles});
        add(benchmark.label + ", " + hash_label(hash), all);
      }
    }
    return std::move(outcome_);
  }

 private:
  /// "--lines= 4 12 40"
  void read_choice(const std::string& text) {
    const size_t end = text.find(' ');
    Choice& choice = choices_.emplace_back();
    choice.option = text.substr(0, end);
    const char* at = text.data() + std::min(end, text.size());
    const char* const stop = text.data() + text.size();
    bool good = true;
    while (good && at != stop) {  // at a blank
      const auto [next, code] = std::from_chars(at + 1, stop, choice.values.emplace_back());
      good = code == std::errc{} && (next == stop || *next == ' ');
      at = next;
    }
    if (!good || !choice.option.ends_with('=') || choice.values.empty())
      parameters_.fail("choices", "must be texts of an option and its values: \"--lines= 4 12\"");
  }

  /// Cycles by the values that are chosen, for all of them.
  std::optional<Error> sweep(const Benchmark& benchmark, const std::string& hash,
                             std::map<std::vector<unsigned>, double>& cycles) {
    std::vector<size_t> at_value(choices_.size(), 0);
    for (bool more = true; more;) {
      std::vector<std::string> arguments =
          settings_.quick || benchmark.timed.empty() ? benchmark.arguments : benchmark.timed;
      std::vector<unsigned> chosen;
      for (size_t k = 0; k < choices_.size(); ++k) {
        chosen.push_back(choices_[k].values[at_value[k]]);
        arguments.push_back(choices_[k].option + std::to_string(chosen.back()));
      }
      if (settings_.progress) settings_.progress(fmt::format("{}, {}, {}", benchmark.label, hash, told(chosen)));
      const Machine machine = hash == "none" ? Machine{} : Machine{hash, {}, hash, {}};
      const Result<Simulated> seen = settings_.simulate(benchmark, arguments, machine);
      if (!seen) return at(benchmark, seen.error().message);
      if (seen->cycles == 0) return at(benchmark, "no cycle was simulated");
      cycles[chosen] = static_cast<double>(seen->cycles);
      more = false;
      for (size_t k = choices_.size(); k-- > 0 && !more;) {
        more = ++at_value[k] < choices_[k].values.size();
        if (!more) at_value[k] = 0;
      }
    }
    return std::nullopt;
  }

  std::string told(const std::vector<unsigned>& chosen) const {
    std::vector<std::string> all;
    for (size_t k = 0; k < chosen.size(); ++k) all.push_back(choices_[k].option + std::to_string(chosen[k]));
    return fmt::format("{}", fmt::join(all, " "));
  }

  void add(const std::string& label, const std::vector<Swept>& all) {
    const auto [least, most] = std::ranges::minmax_element(all, {}, &Swept::gain);
    std::vector<double> gains;
    for (const Swept& one : all) gains.push_back(one.gain);
    rows_.add(label + ": least speed-up", rounded(least->gain, 2), "times as fast", told(least->chosen));
    rows_.add(label + ": median speed-up", rounded(median_of(gains), 2), "times as fast",
              fmt::format("{} runs", all.size()));
    rows_.add(label + ": largest speed-up", rounded(most->gain, 2), "times as fast", told(most->chosen));
    for (size_t k = 0; k < choices_.size(); ++k) add_panel(label, all, k);
  }

  /// What one of the choices does, whatever the others are.
  void add_panel(const std::string& label, const std::vector<Swept>& all, size_t which) {
    report::PlotPanel panel;
    panel.title = label;
    panel.x_title = choices_[which].option.substr(0, choices_[which].option.size() - 1);
    panel.title += ", by " + panel.x_title;
    panel.y_title = "times as fast";
    panel.series = {{"least", {}}, {"median", {}}, {"largest", {}}};
    for (const unsigned value : choices_[which].values) {
      std::vector<double> gains;
      for (const Swept& one : all) {
        if (one.chosen[which] == value) gains.push_back(one.gain);
      }
      const double x = value;
      panel.series[0].points.push_back({x, rounded(std::ranges::min(gains), 3)});
      panel.series[1].points.push_back({x, rounded(median_of(gains), 3)});
      panel.series[2].points.push_back({x, rounded(std::ranges::max(gains), 3)});
    }
    outcome_.panels.push_back(std::move(panel));
  }

  const Experiment& experiment_;
  const Settings& settings_;
  Parameters parameters_;
  std::vector<std::string> hashes_;
  std::vector<Choice> choices_;
  Outcome outcome_;
  Rows rows_{experiment_, outcome_};
};

}  // namespace

Result<Outcome> hash_gain_sweep(const Experiment& experiment, const Settings& settings) {
  return GainSweep(experiment, settings).outcome();
}

}  // namespace bankshot::experiment
