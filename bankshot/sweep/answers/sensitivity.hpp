// Which settings matter: how much of the variance of a result each explains, alone and with others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"
#include "bankshot/sweep/answers/table.hpp"

namespace bankshot::sweep {

struct Effect {
  std::vector<size_t> axes;       ///< one, or two that interact
  std::vector<std::string> with;  ///< axes that always change with this one, and have no effect of their own
  std::optional<double> share;    ///< of the variance, 0 to 1: Sobol' index
  std::optional<double> total;    ///< with all its interactions; none where the points do not tell
  double range = 1;  ///< largest mean by smallest mean over the values, or their difference; see logarithmic
  /// Values with the smallest and the largest mean; of values that were put together the first.
  uint32_t least = 0, most = 0;
};

struct Sensitivity {
  bool complete = false;     ///< all combinations of values are there: the shares are exact
  bool logarithmic = false;  ///< of the logarithm of the result: effects multiply
  double variance = 0;
  std::vector<Effect> main;          ///< by share, the largest first
  std::vector<Effect> interactions;  ///< likewise; only if complete
};

/// The functional analysis of variance: in a full factorial design the Sobol' indices of the design itself, with every
/// combination equally likely. In any other design only main effects are estimated, by the variance between the means
/// less what chance adds to that (epsilon squared); of an axis with many values neighbours are put together.
/// Source: Sobol': Sensitivity estimates for nonlinear mathematical models, 1993; for epsilon squared: Kelley 1935.
/// @return an error if there are too few results, or no axis
Result<Sensitivity> sensitivity(const Table& table);

}  // namespace bankshot::sweep
