// Runs the benchmarks that answer rows, and sets what they give beside what was measured.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bankshot/accuracy/rows.hpp"
#include "bankshot/measure/runner.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::accuracy {

class Work;

/// A row with its answer.
struct Answer {
  Row row;
  std::string family, description;
  double simulated = 0;  ///< in the row's unit

  double ratio() const { return simulated / row.value; }
};

/// A row without one.
struct Unanswered {
  Row row;
  std::string reason;
};

struct Evaluation {
  std::vector<Answer> answers;  ///< in the order of the rows
  std::vector<Unanswered> unanswered;
};

struct EvaluateOptions {
  std::vector<std::string> families, gpus;  ///< only these; empty: all. Names of families; of GPUs the begins of names
  unsigned threads = 0;                     ///< host threads; 0: all cores. Results do not depend on them
  /// Told when a benchmark has ended: how many have, of how many. One thread at a time. May be empty.
  std::function<void(size_t done, size_t all)> progress;
};

/// Simulates what work asks for and adds its rows. Of the options only `threads` and `progress` count.
void add_answers(Evaluation& evaluation, const Work& work, const EvaluateOptions& options);

/// Simulates. Rows that the options leave out are in neither list.
/// @return an error if a description cannot be read. What a benchmark fails of is the reason of its rows
Result<Evaluation> evaluate(const std::vector<Row>& rows, const EvaluateOptions& options);

/// Runs all benchmarks that rows ask for on one device, which may be a real GPU, one after the other. Its numbers
/// are set beside all rows, whatever GPU they are of, unless the options name some.
Result<Evaluation> evaluate_on(measure::Runner& runner, const std::vector<Row>& rows, const EvaluateOptions& options);

}  // namespace bankshot::accuracy
