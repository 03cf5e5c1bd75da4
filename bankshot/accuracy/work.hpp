// What is simulated for rows: machines and benchmarks, each once.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/accuracy/benchmark.hpp"
#include "bankshot/accuracy/target.hpp"

namespace bankshot::accuracy {

/// A benchmark on a machine: what several rows may ask for.
struct Task {
  Plan plan;
  size_t machine = 0;
};

/// A row that a task answers.
struct Asked {
  Row row;
  const Family* family = nullptr;
  std::string description;
  size_t task = 0;
  double ghz = 0;  ///< clock of an SM
};

class Work {
 public:
  std::vector<gpu::Gpu> machines;  ///< may be changed between simulations
  std::vector<Task> tasks;
  std::vector<Asked> asked;  ///< in the order in which rows were added

  /// @return why the row cannot be answered, or empty; an error if a description cannot be read
  Result<std::string> add(const Row& row, const Family& family, const Plan& plan, const Target& target);

 private:
  Result<size_t> machine_for(const Row& row, const Target& target);

  std::map<std::string, size_t> machine_of_;
  std::map<std::pair<size_t, std::string>, size_t> task_of_;
};

Result<Reading> simulate(const Plan& plan, const gpu::Gpu& gpu);

/// Simulates all tasks. @param threads  host threads; 0: all cores. Results do not depend on them
/// @param progress  told when a task has ended; one thread at a time; may be empty
std::vector<Result<Reading>> simulate_all(const Work& work, unsigned threads,
                                          const std::function<void(size_t done, size_t all)>& progress);

/// Calls of task(0) … task(count - 1), in this order, on so many threads (0: all cores).
void on_threads(unsigned threads, size_t count, const std::function<void(size_t)>& task);

/// A reading in the unit of the row; an error if there is none.
Result<double> in_unit_of(const Asked& asked, const Result<Reading>& reading);

}  // namespace bankshot::accuracy
