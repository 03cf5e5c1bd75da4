// Parameters of a GPU's description, fitted to published measurements.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/accuracy/evaluate.hpp"
#include "bankshot/accuracy/fit/parameters.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::accuracy {

struct FitRequest {
  std::string base;  ///< a description of gpus/, or its path: where the search starts. It must have timing
  /// Rows of GPUs whose names begin like one of these; none: those of which `base` is the description.
  std::vector<std::string> devices;
  std::string file;      ///< what messages call the file of the rows
  unsigned threads = 0;  ///< host threads; 0: all cores. Results do not depend on them
  /// Told what has been done, of how much, of what: "parameters", then "benchmarks". One thread at a time. May be
  /// empty.
  std::function<void(size_t done, size_t all, std::string_view what)> progress;
};

/// One parameter of the table.
struct FittedParameter {
  std::string_view key;
  uint64_t was = 0, value = 0;  ///< in the base; as fitted
  std::vector<Row> rows;        ///< that tell it
  double off_before = 0;        ///< percent: median of |simulated - published| / published over the rows, in the base
  double off_after = 0;         ///< … with all values as fitted
  std::string not_determined;   ///< why; empty: it was fitted
};

struct Fit {
  std::string base;
  gpu::Gpu gpu;                      ///< the base
  std::vector<std::string> devices;  ///< names of the GPUs whose rows were used, as the rows have them
  std::vector<FittedParameter> parameters;
  Evaluation after;  ///< all rows of these GPUs with the values fitted
};

/// Fits what rows determine. The error of a parameter is the median, over the rows that tell it, of the logarithm of
/// simulated by published time. The search goes to where that is nearest to zero; of the values that it looked at, the
/// one with the least `off` is taken, if it is better than the present one by a tenth of a percent point at least.
/// Stage after stage, again until nothing changes, at most three times.
/// @return an error if no row is of the base or of the GPUs named, with the line of the first row and what to do
Result<Fit> fit(const std::vector<Row>& rows, const FitRequest& request);

}  // namespace bankshot::accuracy
