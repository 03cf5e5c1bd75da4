// Random votes of one warp by the size of the vote space: where its latency comes from.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/experiment/vote_setup.hpp"

namespace bankshot::experiment {
namespace {

using scratchpad::Layout;
using scratchpad::Mapping;
using scratchpad::VotingCost;

/// One size of the vote space.
struct Size {
  unsigned words = 0, copies = 1;
  VotingCost one, copied, block;  ///< one copy; `copies` under cyclic and under block mapping
  double base = 0;                ///< cycles of an access without conflicts

  double lock_penalty() const { return copied.rounds - base; }
  double bank_penalty() const { return copied.reads + copied.writes; }
};

/// @param most  copies: as many as fit, or one
std::vector<Size> sizes_of(const VoteSetup& setup, const std::vector<unsigned>& words, bool most) {
  std::vector<Size> sizes;
  std::vector<VoteTrial> trials;
  for (const unsigned v : words) {
    sizes.push_back({v, most ? most_copies(v) : 1, {}, {}, {}, static_cast<double>(setup.times.base)});
    trials.push_back({Layout{v, 1, 0, Mapping::cyclic}});
    if (!most) continue;
    trials.push_back({Layout{v, sizes.back().copies, 0, Mapping::cyclic}});
    trials.push_back({Layout{v, sizes.back().copies, 0, Mapping::block}});
  }
  const std::vector<VotingCost> costs = mean_costs(setup, trials);
  const size_t each = most ? 3 : 1;
  for (size_t k = 0; k < sizes.size(); ++k) {
    sizes[k].one = costs[each * k];
    sizes[k].copied = costs[each * k + (most ? 1 : 0)];
    sizes[k].block = costs[each * k + (most ? 2 : 0)];
  }
  return sizes;
}

void add_series(report::PlotPanel& panel, const std::string& label, const std::vector<Size>& sizes,
                double (*value)(const Size&)) {
  report::PlotSeries& series = panel.series.emplace_back();
  series.label = label;
  for (const Size& size : sizes) {
    series.points.push_back({static_cast<double>(size.words), rounded(value(size), 2)});
  }
}

std::vector<report::PlotPanel> panels(const std::vector<Size>& sizes) {
  const std::string locks = "lock and position conflicts", banks = "bank conflicts";
  report::PlotPanel latency{"latency", "words", "cycles", report::PlotKind::stacked, false, {}, {}};
  add_series(latency, "base", sizes, [](const Size& s) { return s.base; });
  add_series(latency, locks, sizes, [](const Size& s) { return s.lock_penalty(); });
  add_series(latency, banks, sizes, [](const Size& s) { return s.bank_penalty(); });
  report::PlotPanel degrees{
      "mean of the largest conflict degree", "words", "degree", report::PlotKind::bars, false, {}, {}};
  add_series(degrees, locks, sizes, [](const Size& s) { return s.copied.lock_degree; });
  add_series(degrees, banks, sizes, [](const Size& s) { return s.copied.bank_degree; });
  return {latency, degrees};
}

/// What the text says of the figures, beside what is found.
class Claims {
 public:
  Claims(const Experiment& experiment, const VoteSetup& setup, std::vector<Size> sizes, Outcome& outcome)
      : experiment_(experiment), outcome_(outcome), locks_(setup.geometry.locks.locks()), sizes_(std::move(sizes)) {}

  void of_sizes(bool copies) {
    for (const Size& s : sizes_) {
      std::string note = fmt::format("degrees: lock {:.2f}, bank {:.2f}", s.copied.lock_degree, s.copied.bank_degree);
      std::string label = fmt::format("{} words", s.words);
      if (copies) {
        label += s.copies == 1 ? ", 1 copy" : fmt::format(", {} copies", s.copies);
        note += fmt::format("; one copy: {:.0f} cycles, {:.2f}, {:.2f}", s.one.latency, s.one.lock_degree,
                            s.one.bank_degree);
      }
      rows_.add(label, rounded(s.copied.latency, 1), "cycles", note);
    }
    count("locks cost more than banks", [](const Size& s) { return s.lock_penalty() > s.bank_penalty(); });
    count("locks and the base cost more than banks", [](const Size& s) { return s.copied.rounds > s.bank_penalty(); });
  }

  void of_one_copy() {
    const VotingCost &first = sizes_.front().copied, &last = sizes_.back().copied;
    const bool less = last.latency < first.latency && last.lock_degree < first.lock_degree;
    rows_.add("latency and lock conflicts from the smallest to the largest", less ? "less" : "not less", "");
    double least = 1e9, most = 0;
    for (const Size& s : sizes_) {
      if (s.words < locks_) continue;
      least = std::min(least, s.copied.lock_degree);
      most = std::max(most, s.copied.lock_degree);
    }
    if (most != 0)
      rows_.add("from 1,024 words on: the lock conflict degree changes by", rounded(100 * (most / least - 1), 2), "%");
  }

  void of_copies() {
    double change = 0, apart = 0;
    for (const Size& s : sizes_) {
      if (s.words >= locks_) change = std::max(change, difference(s.copied.lock_degree, s.one.lock_degree));
      apart = std::max(apart, difference(s.block.latency, s.copied.latency));
    }
    count("below 1,024 words: copies lower the latency",
          [this](const Size& s) { return s.words < locks_ && s.copied.latency < s.one.latency; });
    rows_.add("from 1,024 words on: copies change the lock conflict degree by at most", rounded(change, 2), "%");
    rows_.add("block mapping differs from cyclic by at most", rounded(apart, 2), "% of the latency");
  }

 private:
  /// Relative, in percent.
  static double difference(double a, double b) { return 100 * std::abs(a - b) / b; }

  template <class Holds>
  void count(const std::string& label, Holds&& holds) {
    const auto n = std::count_if(sizes_.begin(), sizes_.end(), holds);
    rows_.add(label, static_cast<double>(n), fmt::format("of {} vote spaces", sizes_.size()));
  }

  const Experiment& experiment_;
  Outcome& outcome_;
  Rows rows_{experiment_, outcome_};
  unsigned locks_;
  std::vector<Size> sizes_;
};

}  // namespace

Result<Outcome> random_votes(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const VoteSetup setup = vote_setup(parameters, settings);
  const std::vector<unsigned> words = vote_spaces(parameters);
  const std::string copies = parameters.text("copies");
  if (copies != "one" && copies != "most") parameters.fail("copies", "must be \"one\" or \"most\"");
  if (parameters.error()) return *parameters.error();
  const bool most = copies == "most";
  const std::vector<Size> sizes = sizes_of(setup, words, most);
  Outcome outcome;
  Claims claims(experiment, setup, sizes, outcome);
  claims.of_sizes(most);
  most ? claims.of_copies() : claims.of_one_copy();
  outcome.notes.push_back(fmt::format("{} random patterns for each vote space, seed {}", setup.patterns, setup.seed));
  outcome.panels = panels(sizes);
  return outcome;
}

}  // namespace bankshot::experiment
