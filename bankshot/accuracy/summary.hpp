// How far simulated values are from measured ones.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bankshot/accuracy/evaluate.hpp"

namespace bankshot::accuracy {

struct Summary {
  size_t rows = 0;
  double mean_error = 0;    ///< percent: mean of |simulated - measured| / measured
  double median_error = 0;  ///< percent
  size_t within_10 = 0;     ///< rows whose error is at most 10 percent
  /// Of the logarithms of both; nothing for fewer than three rows, or if all of one side are equal.
  std::optional<double> correlation;
};

Summary summarize(std::span<const Answer* const> answers);

/// A line of the summary: one family on one GPU, or of all families or all GPUs, which are then empty.
struct SummaryLine {
  std::string gpu, family;
  Summary summary;
};

/// By GPU, in the order of the answers; of each GPU by family, then all; at last all GPUs.
std::vector<SummaryLine> summary_lines(const Evaluation& evaluation);

}  // namespace bankshot::accuracy
