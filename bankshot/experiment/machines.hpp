// The machines that an experiment compares: the GPU's file with some keys changed.
#pragma once

#include <string>
#include <vector>

#include "bankshot/experiment/experiment.hpp"
#include "bankshot/experiment/parameters.hpp"

namespace bankshot::experiment {

/// Reads parameters `machines`, a list of "label: section.key=value …", and `set`, changes for all of them. Of a
/// machine `bank_hash=xor` is its bank hash, and `bank_hash=found` the one that a search finds for the benchmark.
class Machines {
 public:
  Machines(Parameters& parameters, const Settings& settings);

  size_t size() const { return all_.size(); }
  const std::string& label(size_t machine) const { return all_[machine].label; }
  /// Its place, or size() if there is none of this name.
  size_t find(const std::string& label) const;

  /// The counters of a benchmark on a machine. Fails if nothing was simulated.
  Result<Simulated> run(const Benchmark& benchmark, size_t machine) const;
  /// … on the GPU with `set` alone.
  Result<Simulated> run_plain(const Benchmark& benchmark) const;

 private:
  struct Spec {
    std::string label;
    Machine machine;
  };
  Result<Simulated> run(const Benchmark& benchmark, Machine machine) const;

  const Settings& settings_;
  std::vector<std::string> set_;
  std::vector<Spec> all_;
};

}  // namespace bankshot::experiment
