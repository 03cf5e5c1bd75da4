// Sampling: part of a program is simulated in detail, the rest runs functionally, and what it would take is estimated.
//
// Of a launch with many CTAs, intervals of them are simulated, each a wave (as many CTAs as the chip holds) behind one
// that fills the chip anew; of a kernel that is launched again and again, the first launches and then ever fewer. What
// is left out takes the cycles a warp instruction that were measured for work of its phase. A phase is work with about
// as many warp instructions a CTA.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/chip/launch_timing.hpp"

namespace bankshot::timing {

/// Measured cycles a warp instruction, by phase, and work that was left out.
class PhaseRates {
 public:
  /// @param per_cta  warp instructions a CTA @param cycles, instructions  that were simulated; instructions not 0
  void measured(double per_cta, double cycles, double instructions);
  /// Work that ran functionally.
  void skipped(double per_cta, double instructions);
  /// Whether the phase was measured at least twice.
  bool knows(double per_cta) const;
  /// What all that was skipped takes: by phase its instructions times the mean rate. The error is that of the means,
  /// by Student's t; of a phase that was not measured, which takes the rate of the nearest one, and of one that was
  /// measured once, all that rates of this kernel differ by, and all of it if there is but one.
  Sampled estimate() const;

 private:
  struct Phase {
    double per_cta = 0, skipped = 0;
    unsigned count = 0;
    double mean = 0, squares = 0;  ///< of the rates; sum of the squares of what differs from the mean
  };
  Phase& phase_of(double per_cta);
  const Phase* find(double per_cta) const;
  const Phase* nearest_measured(double per_cta) const;
  double half_width(const Phase& phase) const;
  std::vector<Phase> phases_;
};

/// Which CTAs of one launch are left out.
class CtaPlan {
 public:
  CtaPlan() = default;  ///< none
  /// @param ctas  that do not see each other @param wave  as many as the chip holds
  CtaPlan(uint64_t ctas, uint64_t wave);

  /// Where something is to be noted before the CTA starts: at_mark() then.
  uint64_t mark() const { return mark_; }
  /// The CTA at the mark can start. @param instructions  warp instructions of the launch so far
  /// @param settled  caches no longer hold what was there before the launch: nothing is measured until then
  /// @return where to skip to; the mark itself if nothing is to be left out
  uint64_t at_mark(Cycle now, uint64_t instructions, bool settled = true);
  /// A wave, or what is left, ran functionally. @return whether the next may
  bool wave_ran(uint64_t ctas, uint64_t instructions);
  /// CTAs from here on are simulated.
  void resume(uint64_t next) { mark_ = next + wave_; }

  uint64_t wave() const { return wave_; }
  const PhaseRates& rates() const { return rates_; }

 private:
  static constexpr uint64_t kNowhere = ~uint64_t{0};
  uint64_t ctas_ = 0, wave_ = 1, stride_ = 0, mark_ = kNowhere;
  unsigned intervals_ = 0;
  bool is_measuring_ = false;
  Cycle began_ = 0;
  uint64_t instructions_ = 0;
  PhaseRates rates_;
};

/// Launches of one kernel with the same grid, CTAs and shared memory.
class LaunchSample {
 public:
  /// Whether the next one is simulated: the first three; one after each run of skipped launches that is as long as the
  /// number of those simulated so far; and those behind one of a phase that is not known, until it is.
  bool in_detail() const;
  /// @param cycles  without those before the first CTAs start @param error  of these
  void measured(uint64_t ctas, double cycles, double error, uint64_t instructions);
  /// @return what it takes, without those cycles
  Sampled skipped(uint64_t ctas, uint64_t instructions);

 private:
  PhaseRates rates_;
  uint64_t detailed_ = 0, skipped_since_ = 0;
  double cycles_ = 0, error_ = 0;  ///< of those simulated
  double unknown_ = 0;             ///< warp instructions a CTA of a phase that was met and is not known
  unsigned patience_ = 0;          ///< launches in which it may turn up again
};

}  // namespace bankshot::timing
