#include "bankshot/simt/run/cta_sample.hpp"

#include <algorithm>
#include <cmath>

#include "bankshot/support/student.hpp"

namespace bankshot::simt {
namespace {

using Integer128 = unsigned __int128;

constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // its fraction, times 2^64
constexpr uint64_t kLeastClusters = 2;                 // one alone says nothing of the spread

}  // namespace

CtaSample::CtaSample(uint64_t clusters, uint64_t size, uint64_t most) : clusters_(clusters), count_(clusters) {
  if (most != 0) count_ = std::min(clusters, std::max(kLeastClusters, (most + size - 1) / size));
}

uint64_t CtaSample::operator[](uint64_t k) const {
  const auto begin_of = [&](uint64_t stretch) {
    return static_cast<uint64_t>(Integer128{stretch} * clusters_ / count_);
  };
  const uint64_t begin = begin_of(k), length = begin_of(k + 1) - begin;
  return begin + static_cast<uint64_t>(Integer128{(k + 1) * kGoldenRatio} * length >> 64);
}

void ClusterSpread::Sums::add(uint64_t value) {
  sum_ += value;
  squares_ += Integer128{value} * value;
}

void ClusterSpread::Sums::merge(const Sums& other) {
  sum_ += other.sum_;
  squares_ += other.squares_;
}

double ClusterSpread::Sums::error(uint64_t ran, uint64_t clusters) const {
  if (ran < 2 || ran >= clusters) return 0;
  const auto n = static_cast<double>(ran), all = static_cast<double>(clusters);
  const double variance = static_cast<double>(squares_ * ran - sum_ * sum_) / n / (n - 1);
  return student_t(ran - 1) * all * std::sqrt(variance / n * (1 - n / all));
}

void ClusterSpread::ran(const Worker& worker) {
  uint64_t wavefronts = 0, conflicts = 0;
  for (const scratchpad::SiteCounter& site : worker.sites) {
    wavefronts += site.wavefronts;
    conflicts += site.conflicts();
  }
  ++ran_;
  warp_instructions_.add(worker.warp_instructions - told_instructions_);
  wavefronts_.add(wavefronts - told_wavefronts_);
  conflicts_.add(conflicts - told_conflicts_);
  told_instructions_ = worker.warp_instructions;
  told_wavefronts_ = wavefronts;
  told_conflicts_ = conflicts;
}

void ClusterSpread::merge(const ClusterSpread& other) {
  ran_ += other.ran_;
  warp_instructions_.merge(other.warp_instructions_);
  wavefronts_.merge(other.wavefronts_);
  conflicts_.merge(other.conflicts_);
}

SampledCtas::Errors ClusterSpread::errors(uint64_t clusters) const {
  return {.warp_instructions = warp_instructions_.error(ran_, clusters),
          .wavefronts = wavefronts_.error(ran_, clusters),
          .conflicts = conflicts_.error(ran_, clusters)};
}

}  // namespace bankshot::simt
