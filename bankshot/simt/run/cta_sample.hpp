// A sample of the CTAs of a launch: which ones run, and how far the counts of one differ from those of another.
#pragma once

#include <cstdint>

#include "bankshot/simt/run/engine.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Which clusters of a launch run; where a launch has no clusters, a CTA is one. The grid is cut into stretches of
/// equal length, and one cluster of each runs. Its place within the stretch changes from one stretch to the next by the
/// golden ratio, so the sample is spread evenly over all columns of the grid as well, whatever their number.
class CtaSample {
 public:
  CtaSample() = default;
  /// @param clusters  of the launch @param size  CTAs of each @param most  CTAs to run; 0: all. At least two clusters
  /// run
  CtaSample(uint64_t clusters, uint64_t size, uint64_t most);

  bool is_all() const { return count_ == clusters_; }
  /// Clusters that run.
  uint64_t count() const { return count_; }
  /// The k-th of them, counted in the grid; they rise.
  uint64_t operator[](uint64_t k) const;

 private:
  uint64_t clusters_ = 0, count_ = 0;
};

/// Counts of single clusters, summed exactly: the result does not depend on which worker ran which cluster.
class ClusterSpread {
 public:
  /// The worker has run one more cluster since the last call.
  void ran(const Worker& worker);
  void merge(const ClusterSpread& other);
  /// @param clusters  of the launch
  SampledCtas::Errors errors(uint64_t clusters) const;

  /// A counter of clusters.
  class Sums {
   public:
    void add(uint64_t value);
    void merge(const Sums& other);
    /// Half of the interval in which the sum over all clusters lies in 95 % of all samples, by Student's t.
    /// @param ran  clusters that were added @param clusters  all
    double error(uint64_t ran, uint64_t clusters) const;

   private:
    unsigned __int128 sum_ = 0, squares_ = 0;
  };

 private:
  uint64_t ran_ = 0;
  Sums warp_instructions_, wavefronts_, conflicts_;
  uint64_t told_instructions_ = 0, told_wavefronts_ = 0, told_conflicts_ = 0;  ///< of the worker, at the last call
};

}  // namespace bankshot::simt
