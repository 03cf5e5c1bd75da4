// Random votes of one warp in copies of the vote space: mapping, padding and what sorting, a stand-in for data whose
// neighbours are alike, does to them.
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

/// A series of a panel.
struct Variant {
  Mapping mapping = Mapping::cyclic;
  bool sorted = false, padded = false;

  std::string label() const {
    return std::string(name(mapping)) + (sorted ? ", sorted" : "") + (padded ? ", padded" : "");
  }
};

constexpr Variant kVariants[] = {{Mapping::cyclic, false, false}, {Mapping::cyclic, false, true},
                                 {Mapping::cyclic, true, false},  {Mapping::cyclic, true, true},
                                 {Mapping::block, false, false},  {Mapping::block, false, true},
                                 {Mapping::block, true, false},   {Mapping::block, true, true}};
enum : size_t {
  kCyclic,
  kCyclicPadded,
  kCyclicSorted,
  kCyclicSortedPadded,
  kBlock,
  kBlockPadded,
  kBlockSorted,
  kBlockSortedPadded
};

struct Point {
  unsigned copies = 0;
  double latency = 0;
};

/// The latencies of one vote space, by variant, ascending in copies.
struct Space {
  unsigned words = 0;
  std::vector<Point> points[std::size(kVariants)];

  double at(size_t variant, unsigned copies) const {
    for (const Point& p : points[variant]) {
      if (p.copies == copies) return p.latency;
    }
    return 0;
  }
  /// The least latency.
  Point best(size_t variant) const {
    const std::vector<Point>& all = points[variant];
    return *std::min_element(all.begin(), all.end(),
                             [](const Point& a, const Point& b) { return a.latency < b.latency; });
  }
};

/// From the least to the most of some numbers.
struct Range {
  double least = 1e300, most = -1e300;

  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::string times() const { return most < least ? "-" : fmt::format("{:.2f} to {:.2f} times as fast", least, most); }
};

std::vector<Space> spaces_of(const VoteSetup& setup, const std::vector<unsigned>& words) {
  std::vector<VoteTrial> trials;
  for (const unsigned v : words) {
    for (const Variant& variant : kVariants) {
      for (unsigned copies = 1; copies <= most_copies(v); copies *= 2) {
        const Layout layout{v, copies, variant.padded ? 1u : 0u, variant.mapping};
        if (layout.size() <= kWords) trials.push_back({layout, variant.sorted});
      }
    }
  }
  const std::vector<scratchpad::VotingCost> costs = mean_costs(setup, trials);
  std::vector<Space> spaces;
  size_t k = 0;
  for (const unsigned v : words) {
    Space& space = spaces.emplace_back();
    space.words = v;
    for (size_t variant = 0; variant < std::size(kVariants); ++variant) {
      for (unsigned copies = 1; copies <= most_copies(v); copies *= 2) {
        if (k == trials.size() || trials[k].layout.words != v || trials[k].layout.copies != copies) continue;
        space.points[variant].push_back({copies, costs[k++].latency});
      }
    }
  }
  return spaces;
}

report::PlotPanel panel(const Space& space) {
  report::PlotPanel panel{
      fmt::format("{} words", space.words), "copies", "cycles", report::PlotKind::lines, true, {}, {}};
  for (size_t k = 0; k < std::size(kVariants); ++k) {
    report::PlotSeries& series = panel.series.emplace_back();
    series.label = kVariants[k].label();
    for (const Point& p : space.points[k])
      series.points.push_back({static_cast<double>(p.copies), rounded(p.latency, 1)});
  }
  return panel;
}

/// How much faster one variant is than another with as many copies, at that number of copies where it is most so: from
/// the vote space that gains least to that which gains most, of those with `least` to below `most` words.
Range faster(const std::vector<Space>& spaces, size_t variant, size_t than, unsigned least, unsigned most) {
  Range range;
  for (const Space& s : spaces) {
    if (s.words < least || s.words >= most) continue;
    double gain = 0;
    for (const Point& p : s.points[variant]) gain = std::max(gain, s.at(than, p.copies) / p.latency);
    range.add(gain);
  }
  return range;
}

/// How much faster some numbers of copies are than one copy.
Range faster_with_copies(const std::vector<Space>& spaces, size_t variant, unsigned least, unsigned most) {
  Range range;
  for (const Space& s : spaces) {
    for (const Point& p : s.points[variant]) {
      if (p.copies >= least && p.copies <= most) range.add(s.at(variant, 1) / p.latency);
    }
  }
  return range;
}

/// The largest difference of two variants with as many copies, up to `most`, in percent.
double apart(const std::vector<Space>& spaces, size_t a, size_t b, unsigned most) {
  double largest = 0;
  for (const Space& s : spaces) {
    for (const Point& p : s.points[a]) {
      const double other = s.at(b, p.copies);
      if (p.copies <= most && other != 0) largest = std::max(largest, 100 * std::abs(p.latency / other - 1));
    }
  }
  return largest;
}

}  // namespace

Result<Outcome> replicated_votes(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const VoteSetup setup = vote_setup(parameters, settings);
  const std::vector<unsigned> words = vote_spaces(parameters);
  if (parameters.error()) return *parameters.error();
  const std::vector<Space> spaces = spaces_of(setup, words);
  const unsigned locks = setup.geometry.locks.locks();

  Outcome outcome;
  Rows rows(experiment, outcome);
  for (const Space& s : spaces) {
    const Point best = s.best(kCyclic);
    rows.add(fmt::format("best replication of {} words, random votes", s.words), static_cast<double>(best.copies),
             "copies", fmt::format("{:.0f} cycles; one copy {:.0f}", best.latency, s.at(kCyclic, 1)));
    outcome.panels.push_back(panel(s));
  }
  const double block =
      std::max(apart(spaces, kBlock, kCyclic, kLanes), apart(spaces, kBlockPadded, kCyclicPadded, kLanes));
  rows.add("random votes: block differs from cyclic by at most", rounded(block, 2), "%");
  rows.add("random votes: padding changes cyclic by at most", rounded(apart(spaces, kCyclicPadded, kCyclic, kLanes), 2),
           "%");
  rows.add("cyclic: sorting, below 1,024 words", faster(spaces, kCyclicSorted, kCyclic, 0, locks).times(), "");
  rows.add("cyclic: sorting, from 1,024 words on", faster(spaces, kCyclicSorted, kCyclic, locks, ~0u).times(), "");
  rows.add("cyclic, sorted: padding, below 1,024 words",
           faster(spaces, kCyclicSortedPadded, kCyclicSorted, 0, locks).times(), "");
  rows.add("cyclic, sorted: padding, from 1,024 words on",
           faster(spaces, kCyclicSortedPadded, kCyclicSorted, locks, ~0u).times(), "");
  rows.add("block, sorted: 2 and 4 copies against one", faster_with_copies(spaces, kBlockSorted, 2, 4).times(), "");
  rows.add("block, sorted: 32 copies against one", faster_with_copies(spaces, kBlockSorted, 32, 32).times(), "");
  rows.add("block, sorted: padding changes up to 16 copies by at most",
           rounded(apart(spaces, kBlockSortedPadded, kBlockSorted, 16), 2), "%");
  outcome.notes.push_back(fmt::format(
      "{} random patterns for each vote space, seed {}; a gain is at the number of copies that gains most, from "
      "the vote space with the least to that with the most",
      setup.patterns, setup.seed));
  return outcome;
}

}  // namespace bankshot::experiment
