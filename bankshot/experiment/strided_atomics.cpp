// Latency of one warp whose lanes conflict as equation 1 of ICCD'13 says.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/rows.hpp"

namespace bankshot::experiment {
namespace {

using scratchpad::LockWalk;
using WordList = std::vector<uint32_t>;

constexpr unsigned kMostStride = ((1u << kAddressBits) - 1) / (kLanes - 1);  // or lane 31 is beyond the words

/// ICCD'13, equation 1.
WordList strided(unsigned stride, unsigned conflicts) {
  WordList words(kLanes);
  for (uint32_t id = 0; id < kLanes; ++id) words[id] = id < conflicts ? id * stride : id;
  return words;
}

struct HashedLocks {
  std::string label;
  scratchpad::LockWalker walker;
};

/// A series of the figure.
struct Curve {
  unsigned stride = 0;
  std::string hash;             ///< its label
  std::vector<LockWalk> walks;  ///< of 1 to 32 conflicts
  std::vector<uint64_t> cycles;

  std::string panel() const { return "stride " + std::to_string(stride); }
  std::string label() const { return panel() + ", " + hash; }
};

class Strided {
 public:
  explicit Strided(const Experiment& experiment) : experiment_(experiment), parameters_(experiment) {
    strides_ = parameters_.numbers("strides", 0, kMostStride);
    times_ = atomics_times(parameters_);
    gaps_ = pairs("gaps");
    degrees_ = pairs("degrees");
    examples_ = parameters_.tuples("examples", (1u << kAddressBits) - 1);
    const std::vector<std::string> hashes = parameters_.texts("hashes");
    if (hashes.empty()) parameters_.fail("hashes", "is missing");
    for (const std::string& hash : hashes) {
      const auto geometry = atomics_geometry(hash);
      if (!geometry) {
        parameters_.fail("hashes", geometry.error().message);
        break;
      }
      hashes_.push_back({hashes.size() == 1 ? "model" : hash_label(hash), scratchpad::LockWalker(*geometry)});
    }
  }

  Result<Outcome> outcome() {
    if (parameters_.error()) return *parameters_.error();
    for (const unsigned stride : strides_) {
      for (HashedLocks& hashed : hashes_) curves_.push_back(curve(stride, hashed));
    }
    add_panels();
    add_differences();
    add_gaps();
    add_examples();
    add_degrees();
    return std::move(outcome_);
  }

 private:
  /// Stride and number of conflicts.
  std::vector<std::pair<unsigned, unsigned>> pairs(const std::string& key) {
    std::vector<std::pair<unsigned, unsigned>> all;
    for (const std::vector<unsigned>& tuple : parameters_.tuples(key, kMostStride)) {
      const bool good = tuple.size() == 2 && tuple[1] >= 2 && tuple[1] <= kLanes &&
                        std::count(strides_.begin(), strides_.end(), tuple[0]) != 0;
      if (!good) {
        parameters_.fail(key,
                         "must be texts of a stride that there is and a number of conflicts from 2 to 32: \"256 5\"");
        break;
      }
      all.emplace_back(tuple[0], tuple[1]);
    }
    return all;
  }

  uint64_t cycles(const LockWalk& walk) const { return scratchpad::latency(walk, times_).total(); }

  Curve curve(unsigned stride, HashedLocks& hashed) const {
    Curve curve{stride, hashed.label, {}, {}};
    for (unsigned conflicts = 1; conflicts <= kLanes; ++conflicts) {
      curve.walks.push_back(hashed.walker.walk(strided(stride, conflicts).data(), kLanes));
      curve.cycles.push_back(cycles(curve.walks.back()));
    }
    return curve;
  }

  void add_panels() {
    for (const unsigned stride : strides_) {
      report::PlotPanel& panel = outcome_.panels.emplace_back();
      panel.x_title = "conflicts";
      panel.y_title = "cycles";
      for (const Curve& curve : curves_) {
        if (curve.stride != stride) continue;
        panel.title = curve.panel();
        report::PlotSeries& series = panel.series.emplace_back();
        series.label = curve.hash;
        for (unsigned k = 0; k < kLanes; ++k) series.points.push_back({k + 1.0, static_cast<double>(curve.cycles[k])});
      }
    }
  }

  /// Relative to what is simulated: so ICCD'13 reckons, which calls 108 against 118 cycles 8.5 %.
  void add_differences() {
    double sum = 0, most = 0;
    size_t points = 0;
    std::string where;
    for (const Curve& curve : curves_) {
      const auto found = experiment_.points.find(curve.label());
      if (found == experiment_.points.end()) continue;
      for (const auto& [x, y] : found->second) {
        if (!(x >= 1 && x <= kLanes)) continue;
        const auto ours = static_cast<double>(curve.cycles[static_cast<size_t>(x) - 1]);
        const double difference = std::abs(y - ours) / ours * 100;
        sum += difference;
        ++points;
        if (difference <= most) continue;
        most = difference;
        where = fmt::format("{}, {} conflicts: published {}, here {}", curve.label(), x, y, ours);
      }
    }
    if (points == 0) return;
    rows_.add("mean difference from the published latencies", rounded(sum / static_cast<double>(points), 2), "%",
              fmt::format("{} points", points));
    rows_.add("largest difference from the published latencies", rounded(most, 2), "%", where);
  }

  void add_gaps() {
    for (const auto& [stride, conflicts] : gaps_) {
      const auto curve =
          std::find_if(curves_.begin(), curves_.end(), [s = stride](const Curve& c) { return c.stride == s; });
      const double gap =
          static_cast<double>(curve->cycles[conflicts - 1]) - static_cast<double>(curve->cycles[conflicts - 2]);
      rows_.add(fmt::format("stride {}, what conflict {} adds", stride, conflicts), gap, "cycles");
    }
  }

  void add_examples() {
    for (const std::vector<unsigned>& first : examples_) {
      WordList words = strided(0, 0);
      std::copy_n(first.begin(), std::min<size_t>(first.size(), kLanes), words.begin());
      const uint64_t penalty = cycles(hashes_[0].walker.walk(words.data(), kLanes)) - times_.base;
      const std::string label = fmt::format("penalty of [{}, {}, …]", fmt::join(first, ", "), first.size());
      rows_.add(label, static_cast<double>(penalty), "cycles");
    }
  }

  /// What hashes do to conflicts, rather than to cycles. Nothing without hashes.
  void add_degrees() {
    if (hashes_.size() < 2) return;
    for (const Curve& curve : curves_) {
      unsigned locks = 0, banks = 0;
      for (const LockWalk& walk : curve.walks) {
        locks = std::max(locks, walk.rounds);
        banks = std::max(banks, walk.bank_degree);
      }
      rows_.add(curve.label() + ": largest lock conflict degree", static_cast<double>(locks), "lanes");
      rows_.add(curve.label() + ": largest bank conflict degree", static_cast<double>(banks), "words");
      for (const auto& [stride, conflicts] : degrees_) {
        if (stride == curve.stride)
          rows_.add(fmt::format("{}: bank conflict degree of {} conflicts", curve.label(), conflicts),
                    static_cast<double>(curve.walks[conflicts - 1].bank_degree), "words");
      }
    }
    const size_t n = hashes_.size();
    for (size_t k = 0; k < curves_.size(); k += n) {
      for (size_t hash = 1; hash < n; ++hash) {
        const Curve &other = curves_[k + hash], &first = curves_[k];
        size_t faster = 0;
        for (unsigned c = 0; c < kLanes; ++c) faster += other.cycles[c] < first.cycles[c] ? 1 : 0;
        rows_.add(other.label() + ": faster than the " + first.hash, static_cast<double>(faster), "of 32 latencies");
      }
    }
    size_t different = 0;
    for (size_t k = 0; n > 2 && k < curves_.size(); k += n) {
      for (unsigned c = 0; c < kLanes; ++c) different += curves_[k + 1].cycles[c] != curves_[k + 2].cycles[c] ? 1 : 0;
    }
    if (n > 2)
      rows_.add(hashes_[1].label + " and " + hashes_[2].label + " differ", static_cast<double>(different),
                fmt::format("of {} latencies", strides_.size() * kLanes));
  }

  const Experiment& experiment_;
  Parameters parameters_;
  std::vector<unsigned> strides_;
  scratchpad::AtomicsTimes times_;
  std::vector<std::pair<unsigned, unsigned>> gaps_, degrees_;
  std::vector<std::vector<unsigned>> examples_;
  std::vector<HashedLocks> hashes_;
  std::vector<Curve> curves_;  ///< by stride, then by hash
  Outcome outcome_;
  Rows rows_{experiment_, outcome_};
};

}  // namespace

Result<Outcome> strided_atomics(const Experiment& experiment, const Settings&) { return Strided(experiment).outcome(); }

}  // namespace bankshot::experiment
