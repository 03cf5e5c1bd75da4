#include "bankshot/timing/chip/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "bankshot/support/student.hpp"

namespace bankshot::timing {
namespace {

constexpr double kSamePhase = 0.1;       // relative difference of warp instructions a CTA
constexpr uint64_t kLeastWaves = 12;     // a launch of fewer is simulated as a whole
constexpr uint64_t kIntervals = 10;      // of a launch, about
constexpr unsigned kSearchLaunches = 8;  // launches simulated in search of a phase
constexpr unsigned kLeastLaunches = 3;   // that are simulated

bool is_same(double a, double b) { return std::abs(a - b) <= kSamePhase * std::max(a, b); }

}  // namespace

const PhaseRates::Phase* PhaseRates::find(double per_cta) const {
  const auto at =
      std::find_if(phases_.begin(), phases_.end(), [&](const Phase& phase) { return is_same(phase.per_cta, per_cta); });
  return at == phases_.end() ? nullptr : &*at;
}

PhaseRates::Phase& PhaseRates::phase_of(double per_cta) {
  if (const Phase* const known = find(per_cta)) return phases_[static_cast<size_t>(known - phases_.data())];
  return phases_.emplace_back(Phase{.per_cta = per_cta});
}

void PhaseRates::measured(double per_cta, double cycles, double instructions) {
  Phase& phase = phase_of(per_cta);
  const double rate = cycles / instructions, before = phase.mean;
  phase.mean += (rate - before) / ++phase.count;
  phase.squares += (rate - before) * (rate - phase.mean);
}

void PhaseRates::skipped(double per_cta, double instructions) { phase_of(per_cta).skipped += instructions; }

bool PhaseRates::knows(double per_cta) const {
  const Phase* const phase = find(per_cta);
  return phase != nullptr && phase->count >= 2;
}

const PhaseRates::Phase* PhaseRates::nearest_measured(double per_cta) const {
  const Phase* nearest = nullptr;
  for (const Phase& phase : phases_) {
    if (phase.count == 0) continue;
    if (nearest == nullptr || std::abs(phase.per_cta - per_cta) < std::abs(nearest->per_cta - per_cta))
      nearest = &phase;
  }
  return nearest;
}

/// Of the rate of a phase, 95 %.
double PhaseRates::half_width(const Phase& phase) const {
  if (phase.count >= 2) return student_t(phase.count - 1) * std::sqrt(phase.squares / (phase.count - 1) / phase.count);
  double least = HUGE_VAL, most = 0;
  unsigned measured = 0;
  for (const Phase& other : phases_) {
    if (other.count == 0) continue;
    ++measured;
    least = std::min(least, other.mean);
    most = std::max(most, other.mean);
  }
  return measured < 2 ? most : most - least;
}

Sampled PhaseRates::estimate() const {
  Sampled all;
  for (const Phase& phase : phases_) {
    if (phase.skipped == 0) continue;
    const Phase* const measured = phase.count != 0 ? &phase : nearest_measured(phase.per_cta);
    if (measured == nullptr) continue;  // nothing was measured at all
    all.cycles += phase.skipped * measured->mean;
    all.error += phase.skipped * half_width(phase);
  }
  return all;
}

CtaPlan::CtaPlan(uint64_t ctas, uint64_t wave) : ctas_(ctas), wave_(std::max<uint64_t>(1, wave)) {
  const uint64_t waves = ctas_ / wave_;
  if (waves < kLeastWaves) return;
  stride_ = std::max<uint64_t>(2, (waves - 4) / kIntervals) * wave_;
  mark_ = wave_;
}

uint64_t CtaPlan::at_mark(Cycle now, uint64_t instructions, bool settled) {
  const uint64_t here = mark_;
  mark_ = here + wave_;
  if (intervals_ == 0 && !is_measuring_ && !settled) return here;
  if (is_measuring_ && instructions > instructions_) {
    const auto work = static_cast<double>(instructions - instructions_);
    rates_.measured(work / static_cast<double>(wave_), static_cast<double>(now - began_), work);
    ++intervals_;
  }
  const bool skips = is_measuring_ && intervals_ >= 2;  // two in a row at first, then one
  is_measuring_ = !skips;
  began_ = now;
  instructions_ = instructions;
  if (!skips) return here;
  const uint64_t last = ctas_ - wave_;  // the tail is simulated
  if (here + wave_ > last) {
    mark_ = kNowhere;
    return here;
  }
  return std::min(here + stride_, last);
}

bool CtaPlan::wave_ran(uint64_t ctas, uint64_t instructions) {
  const double per_cta = static_cast<double>(instructions) / static_cast<double>(ctas);
  rates_.skipped(per_cta, static_cast<double>(instructions));
  return rates_.knows(per_cta);
}

bool LaunchSample::in_detail() const {
  return detailed_ < kLeastLaunches || patience_ != 0 || skipped_since_ >= detailed_;
}

void LaunchSample::measured(uint64_t ctas, double cycles, double error, uint64_t instructions) {
  ++detailed_;
  skipped_since_ = 0;
  cycles_ += cycles;
  error_ += error;
  if (instructions == 0) return;
  rates_.measured(static_cast<double>(instructions) / static_cast<double>(ctas), cycles,
                  static_cast<double>(instructions));
  if (patience_ != 0) patience_ = rates_.knows(unknown_) ? 0 : patience_ - 1;
}

Sampled LaunchSample::skipped(uint64_t ctas, uint64_t instructions) {
  ++skipped_since_;
  const double work = static_cast<double>(instructions), per_cta = work / static_cast<double>(ctas);
  if (!rates_.knows(per_cta)) {
    unknown_ = per_cta;
    patience_ = kSearchLaunches;
  }
  PhaseRates alone = rates_;
  alone.skipped(per_cta, work);
  Sampled launch = alone.estimate();
  if (cycles_ != 0) launch.error += launch.cycles * error_ / cycles_;
  launch.warp_instructions = instructions;
  return launch;
}

}  // namespace bankshot::timing
