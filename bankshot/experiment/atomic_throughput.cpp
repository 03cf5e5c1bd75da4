// Throughput of atomic additions when lanes of one warp meet on a word, and when warps do.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/rows.hpp"

namespace bankshot::experiment {
namespace {

constexpr unsigned kUnrolled = 16;  // additions of a thread for each --repeat of the program
constexpr double kIndependent = 5;  // %: throughputs closer than this are reported as equal

/// Percent by which `now` is above `before`.
double change(double before, double now) { return 100 * (now / before - 1); }

class Throughput {
 public:
  Throughput(const Experiment& experiment, const Settings& settings)
      : experiment_(experiment), settings_(settings), parameters_(experiment) {
    warps_ = parameters_.number("warps", 1, kLanes);
    repeat_ = parameters_.number("repeat", 1, 1000);
    degrees_ = parameters_.numbers("degrees", 1, kLanes);
    colliding_ = parameters_.numbers("colliding_warps", 2, kLanes);
    lanes_ = parameters_.numbers("colliding_threads", 1, kLanes);
    if (experiment.benchmarks.size() > 1) parameters_.fail("repeat", "is of one benchmark, and there are more");
    if (std::ranges::any_of(colliding_, [&](unsigned k) { return k > warps_; }))
      parameters_.fail("colliding_warps", "must be at most as many as parameters.warps");
    if (settings.quick && !parameters_.error()) {
      for (std::vector<unsigned>* list : {&degrees_, &colliding_, &lanes_}) *list = {list->front(), list->back()};
    }
  }

  Result<Outcome> outcome() {
    if (parameters_.error()) return *parameters_.error();
    if (experiment_.benchmarks.empty()) return std::move(outcome_);
    for (const unsigned n : degrees_) measure(fmt::format("--intra={}", n), intra_[n]);
    for (const unsigned k : colliding_) {
      for (const unsigned c : lanes_) measure(fmt::format("--colliding={} --lanes={}", k, c), inter_[{k, c}]);
    }
    if (error_) return *error_;
    add_intrawarp();
    add_interwarp();
    add_comparison();
    add_panels();
    return std::move(outcome_);
  }

 private:
  /// Additions in a cycle. What the program does besides is the same in a run with twice as many, and falls out.
  void measure(const std::string& test, double& throughput) {
    if (error_) return;
    const Benchmark& benchmark = experiment_.benchmarks[0];
    if (settings_.progress) settings_.progress(benchmark.label + ", " + test);
    double cycles[2] = {};
    for (unsigned twice = 0; twice < 2; ++twice) {
      std::vector<std::string> arguments = benchmark.arguments;
      for (size_t from = 0; from < test.size();) {
        const size_t end = std::min(test.find(' ', from), test.size());
        arguments.push_back(test.substr(from, end - from));
        from = end + 1;
      }
      arguments.push_back(fmt::format("--warps={}", warps_));
      arguments.push_back(fmt::format("--repeat={}", repeat_ << twice));
      const Result<Simulated> seen = settings_.simulate(benchmark, arguments, {});
      if (!seen) {
        error_ = at(benchmark, seen.error().message);
        return;
      }
      cycles[twice] = static_cast<double>(seen->cycles);
    }
    if (cycles[1] <= cycles[0]) {
      error_ = at(benchmark, "twice as many additions take no more cycles");
      return;
    }
    throughput = static_cast<double>(warps_) * kLanes * kUnrolled * repeat_ / (cycles[1] - cycles[0]);
  }

  void add_intrawarp() {
    for (size_t k = 1; k < degrees_.size(); ++k) {
      const double before = intra_[degrees_[k - 1]], now = intra_[degrees_[k]];
      rows_.add(fmt::format("intrawarp: from {} to {} threads on a word", degrees_[k - 1], degrees_[k]),
                rounded(change(before, now), 1), "% of throughput",
                fmt::format("{:.2f} and {:.2f} additions a cycle", before, now));
    }
  }

  void add_interwarp() {
    for (const unsigned k : colliding_) {
      const std::string label = fmt::format("interwarp, {} warps: by the number of colliding threads of each", k);
      add_spread(label, k, lanes_);
      std::vector<unsigned> some = lanes_;
      std::erase(some, kLanes);  // where all collide, a warp that comes late gets no lock at all
      if (!some.empty() && some.size() < lanes_.size()) add_spread(label + ", fewer than 32", k, some);
    }
    const unsigned first = colliding_.front(), last = colliding_.back(), all = lanes_.back();
    const double few = inter_[{first, all}], many = inter_[{last, all}];
    rows_.add("interwarp: throughput depends on the number of colliding warps",
              change(few, many) < -kIndependent ? "yes" : "no", "",
              fmt::format("{} warps {:.2f}, {} warps {:.2f} additions a cycle", first, few, last, many));
  }

  /// @param lanes  of each of so many warps that collide, not empty
  void add_spread(const std::string& label, unsigned warps, const std::vector<unsigned>& lanes) {
    double least = inter_[{warps, lanes[0]}], most = least;
    for (const unsigned c : lanes) {
      least = std::min(least, inter_[{warps, c}]);
      most = std::max(most, inter_[{warps, c}]);
    }
    rows_.add(label, rounded(change(most, least), 1), "% of throughput",
              fmt::format("{:.2f} to {:.2f} additions a cycle", least, most));
  }

  /// As many threads of a warp on one word as warps on each of 32.
  void add_comparison() {
    for (const unsigned n : degrees_) {
      if (std::ranges::count(colliding_, n) == 0) continue;
      const double intra = intra_[n], inter = inter_[{n, lanes_.back()}];
      rows_.add(fmt::format("{} threads of a warp, or {} warps: intrawarp conflicts burden more", n, n),
                inter > intra * (1 + kIndependent / 100) ? "yes" : "no", "",
                fmt::format("{:.2f} and {:.2f} additions a cycle, {:.2f} times", intra, inter, inter / intra));
    }
  }

  void add_panels() {
    report::PlotPanel& panel = outcome_.panels.emplace_back();
    panel = {"throughput", "colliding threads or warps", "additions a cycle", report::PlotKind::lines, true, {}, {}};
    report::PlotSeries& intra = panel.series.emplace_back();
    intra.label = "threads of every warp, intrawarp";
    for (const auto& [n, throughput] : intra_) intra.points.push_back({static_cast<double>(n), rounded(throughput, 3)});
    for (const unsigned c : {lanes_.front(), lanes_.back()}) {
      report::PlotSeries& series = panel.series.emplace_back();
      series.label = fmt::format("warps, {} thread{} of each", c, c == 1 ? "" : "s");
      for (const unsigned k : colliding_) series.points.push_back({static_cast<double>(k), rounded(inter_[{k, c}], 3)});
    }
  }

  const Experiment& experiment_;
  const Settings& settings_;
  Parameters parameters_;
  unsigned warps_ = 0, repeat_ = 0;
  std::vector<unsigned> degrees_, colliding_, lanes_;
  std::map<unsigned, double> intra_;                       ///< by threads of a warp on one word
  std::map<std::pair<unsigned, unsigned>, double> inter_;  ///< by warps that collide, and threads of each
  std::optional<Error> error_;
  Outcome outcome_;
  Rows rows_{experiment_, outcome_};
};

}  // namespace

Result<Outcome> atomic_throughput(const Experiment& experiment, const Settings& settings) {
  return Throughput(experiment, settings).outcome();
}

}  // namespace bankshot::experiment
