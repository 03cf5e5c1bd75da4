// Programs that vote into copies of a vote space, simulated for sizes of the space and numbers of copies.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/experiment/parameters.hpp"

namespace bankshot::experiment {

/// One run.
struct SweepPoint {
  unsigned size = 0, copies = 0;
  uint64_t cycles = 0;
};

/// A program with its arguments, on a machine.
struct SweepCurve {
  const Benchmark* benchmark = nullptr;
  Machine machine;
  std::vector<SweepPoint> points;  ///< by size, ascending in copies; only those whose copies fit

  std::vector<SweepPoint> of_size(unsigned size) const;
  /// Nothing if these copies do not fit.
  const SweepPoint* at(unsigned size, unsigned copies) const;
  /// The fewest cycles, of equals with the fewest copies.
  SweepPoint best(unsigned size) const;
  /// Its cycles, those of the fewest copies, and which copies are hardly worse.
  std::string told(unsigned size) const;
};

/// What is simulated. Parameters:
///   sizes, copies              of the vote space
///   quick_sizes, quick_copies  … with --quick; else the same
///   size_option, copies_option how the program is told, "--bins=", "--copies="; without the former the size is what
///   the
///                              program does of itself
///   size_name                  of a word of the vote space: "bins"
///   spaces                     vote spaces that the program has at once, by benchmark; 1 if it is not there
///   padding                    words behind each copy, by benchmark; 0 if it is not there
/// A benchmark's arguments are those of a quick run, its `timed` those of a full one.
class ReplicationSweep {
 public:
  ReplicationSweep(const Experiment& experiment, const Settings& settings, Parameters& parameters);

  const std::vector<unsigned>& sizes() const { return sizes_; }
  /// "256 bins"
  std::string name(unsigned size) const { return std::to_string(size) + " " + size_name_; }
  /// Simulates one program on one machine. The error says where it happened.
  Result<SweepCurve> simulate(const Benchmark& benchmark, const Machine& machine) const;

 private:
  bool fits(const Benchmark& benchmark, unsigned size, unsigned copies) const;
  unsigned of_benchmark(const std::vector<unsigned>& values, const Benchmark& benchmark, unsigned otherwise) const;

  const Experiment& experiment_;
  const Settings& settings_;
  std::vector<unsigned> sizes_, copies_, spaces_, padding_;
  std::string size_option_, copies_option_, size_name_;
};

/// Cycles by copies. @param label  of the series
report::PlotSeries cycles_by_copies(const SweepCurve& curve, unsigned size, const std::string& label);

}  // namespace bankshot::experiment
