// Every figure and table of the papers, and the experiments for it. Source: experiments/coverage.toml.
#pragma once

#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::experiment {

/// A figure, a table, or claims of a section.
struct CoveredItem {
  std::string name, what;
  std::vector<std::string> experiments;  ///< that compute it
  std::vector<std::string> rows;         ///< how the labels of its rows of them begin; none: all rows
  std::string otherwise;                 ///< if there is none: why, or what else computes it
};

struct CoveredPaper {
  std::string name, title;
  std::vector<CoveredItem> items;
};

/// In the order of the file. The error names file, line and key; an item with neither experiment nor reason is one.
Result<std::vector<CoveredPaper>> coverage();

}  // namespace bankshot::experiment
