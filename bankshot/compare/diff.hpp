// Two runs of a program: what became better, what worse.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/compare/counters.hpp"
#include "bankshot/compare/snapshot.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::compare {

/// A thing before and after; one of the two is null if it is new or gone.
template <class T>
struct Pair {
  const T* before = nullptr;
  const T* after = nullptr;
  Verdict verdict = Verdict::same;

  bool is_new() const { return before == nullptr; }
  bool is_gone() const { return after == nullptr; }
  const T& one() const { return after != nullptr ? *after : *before; }
};

struct KernelPair : Pair<Kernel> {
  /// Most worse first, then most better, then by place.
  std::vector<Pair<Line>> lines;
};

/// Conditions that differ.
struct Condition {
  std::string name, before, after;  ///< empty: it is not there
};

/// How many pairs there are of each kind; a new one may be worse, too.
struct Tally {
  uint64_t worse = 0, better = 0, added = 0, gone = 0, same = 0;
};

struct Diff {
  std::vector<Condition> conditions;
  std::vector<KernelPair> kernels;      ///< worse first, then better, new, gone and the same; of each kind by conflicts
  std::vector<Pair<Finding>> findings;  ///< likewise
  Numbers before, after;                ///< of the whole program
  Tally kernel_tally, line_tally, finding_tally;
  std::string incomplete;  ///< why there is no verdict: which run is not whole; empty: both are

  bool is_worse() const { return kernel_tally.worse + line_tally.worse + finding_tally.worse != 0; }
  bool is_better() const {
    return kernel_tally.better + line_tally.better + finding_tally.better + finding_tally.gone != 0;
  }
};

/// Lines are judged by their conflicts, kernels by conflicts, wavefronts and, if both were simulated, cycles, findings
/// by how often they were seen. New lines and kernels are worse if they have conflicts; new findings are worse; what is
/// gone is not.
/// @return  points into both. An error if the two cannot be compared: one has findings and the other counters
Result<Diff> diff(const Snapshot& before, const Snapshot& after, const Allowances& allowances);

}  // namespace bankshot::compare
