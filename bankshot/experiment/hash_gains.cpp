// What hashes of banks and locks gain in voting programs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/replication_sweep.hpp"
#include "bankshot/experiment/rows.hpp"

namespace bankshot::experiment {
namespace {

constexpr double kSlow = 0.95;  // a speed-up below this is a loss worth a word

/// A hash against none, in one program.
struct Gain {
  std::string hash;  ///< its label
  SweepCurve with;
  const SweepCurve* without = nullptr;

  double speedup(size_t k) const {
    return static_cast<double>(without->points[k].cycles) / static_cast<double>(with.points[k].cycles);
  }
};

class Gains {
 public:
  Gains(const Experiment& experiment, const Settings& settings)
      : experiment_(experiment), parameters_(experiment), sweep_(experiment, settings, parameters_) {
    hashes_ = parameters_.texts("hashes");
    if (hashes_.empty()) parameters_.fail("hashes", "is missing");
    spots_ = parameters_.tuples("points", kWords);
    for (const std::vector<unsigned>& spot : spots_) {
      if (spot.size() != 2) parameters_.fail("points", "must be texts of a size and a number of copies: \"256 32\"");
    }
  }

  Result<Outcome> outcome() {
    if (parameters_.error()) return *parameters_.error();
    for (const Benchmark& benchmark : experiment_.benchmarks) {
      const Result<SweepCurve> without = sweep_.simulate(benchmark, {});
      if (!without) return without.error();
      std::vector<Gain> gains;
      for (const std::string& hash : hashes_) {
        Result<SweepCurve> with = sweep_.simulate(benchmark, {hash, {}, hash, {}});
        if (!with) return with.error();
        gains.push_back({hash_label(hash), std::move(*with), &*without});
      }
      add_rows(benchmark.label, gains);
      sweep_.sizes().size() == 1 ? add_cycles(benchmark.label, gains) : add_speedups(benchmark.label, gains);
    }
    return std::move(outcome_);
  }

 private:
  std::string told(const Gain& gain, size_t k) const {
    const SweepPoint &with = gain.with.points[k], &without = gain.without->points[k];
    return fmt::format("{}, {}, {} {}: {} of {} cycles", gain.hash, sweep_.name(with.size), with.copies,
                       with.copies == 1 ? "copy" : "copies", with.cycles, without.cycles);
  }

  void add_rows(const std::string& program, const std::vector<Gain>& gains) {
    double most = 0;
    std::string where;
    for (const Gain& gain : gains) {
      for (size_t k = 0; k < gain.with.points.size(); ++k) {
        if (gain.speedup(k) <= most) continue;
        most = gain.speedup(k);
        where = told(gain, k);
      }
    }
    rows_.add(program + ": largest speed-up", rounded(most, 2), "times as fast", where);
    for (const Gain& gain : gains) add_spots(program, gain);
    for (const Gain& gain : gains) add_losses(program, gain);
    double apart = 0;
    for (size_t k = 0; gains.size() == 2 && k < gains[0].with.points.size(); ++k) {
      const double difference = std::abs(gains[0].speedup(k) / gains[1].speedup(k) - 1);
      if (difference <= apart) continue;
      apart = difference;
      where = told(gains[0], k) + "; " + told(gains[1], k);
    }
    if (gains.size() == 2)
      rows_.add(fmt::format("{}: {} and {} differ by at most", program, gains[0].hash, gains[1].hash),
                rounded(100 * apart, 1), "%", apart == 0 ? "" : where);
  }

  void add_spots(const std::string& program, const Gain& gain) {
    for (size_t k = 0; k < gain.with.points.size(); ++k) {
      const SweepPoint& p = gain.with.points[k];
      if (std::count(spots_.begin(), spots_.end(), std::vector<unsigned>{p.size, p.copies}) == 0) continue;
      rows_.add(fmt::format("{}, {}, {} copies, {}: speed-up", program, sweep_.name(p.size), p.copies, gain.hash),
                rounded(gain.speedup(k), 2), "times as fast",
                fmt::format("{} of {} cycles", p.cycles, gain.without->points[k].cycles));
    }
  }

  void add_losses(const std::string& program, const Gain& gain) {
    size_t worst = 0;
    std::string slowed;
    for (const unsigned size : sweep_.sizes()) {
      double least = kSlow;
      for (size_t k = 0; k < gain.with.points.size(); ++k) {
        if (gain.with.points[k].size == size) least = std::min(least, gain.speedup(k));
        if (gain.speedup(k) < gain.speedup(worst)) worst = k;
      }
      if (least < kSlow) slowed += (slowed.empty() ? "" : ", ") + std::to_string(size);
    }
    rows_.add(fmt::format("{}, {}: sizes that it slows by more than 5 %", program, gain.hash),
              slowed.empty() ? "none" : slowed, "",
              fmt::format("at worst {:.2f} times as fast, {}", gain.speedup(worst), told(gain, worst)));
  }

  void add_cycles(const std::string& program, const std::vector<Gain>& gains) {
    const unsigned size = sweep_.sizes()[0];
    report::PlotPanel& panel = outcome_.panels.emplace_back();
    panel = {program, "copies", "cycles", report::PlotKind::lines, false, {}, {}};
    panel.series.push_back(cycles_by_copies(*gains[0].without, size, hash_label("none")));
    for (const Gain& gain : gains) panel.series.push_back(cycles_by_copies(gain.with, size, gain.hash));
  }

  void add_speedups(const std::string& program, const std::vector<Gain>& gains) {
    for (const Gain& gain : gains) {
      report::PlotPanel& panel = outcome_.panels.emplace_back();
      panel = {program + ", " + gain.hash, "copies", "times as fast", report::PlotKind::lines, true, {}, {}};
      for (const unsigned size : sweep_.sizes()) {
        report::PlotSeries& series = panel.series.emplace_back();
        series.label = sweep_.name(size);
        for (size_t k = 0; k < gain.with.points.size(); ++k) {
          const SweepPoint& p = gain.with.points[k];
          if (p.size == size) series.points.push_back({static_cast<double>(p.copies), rounded(gain.speedup(k), 3)});
        }
      }
    }
  }

  const Experiment& experiment_;
  Parameters parameters_;
  ReplicationSweep sweep_;
  std::vector<std::string> hashes_;
  std::vector<std::vector<unsigned>> spots_;
  Outcome outcome_;
  Rows rows_{experiment_, outcome_};
};

}  // namespace

Result<Outcome> hash_gains(const Experiment& experiment, const Settings& settings) {
  return Gains(experiment, settings).outcome();
}

}  // namespace bankshot::experiment
