// What two runs of a program have in common.
#pragma once

#include <set>
#include <string>

#include "bankshot/cuda/process/witness_record.hpp"
#include "bankshot/fix/run.hpp"

namespace bankshot::fix {

/// Lines of the outputs, from 0, in which two runs of one program differ by numbers only: times and rates.
struct Unsteady {
  std::set<size_t> output, error;
  /// "the numbers in line 3 of standard output"; empty if there are none.
  std::string text() const;
};
Unsteady unsteady(const WitnessedRun& first, const WitnessedRun& second);

/// The first thing in which two runs differ, as a sentence; empty if they are the same bit for bit.
/// @param ignored  lines of which the numbers are not compared
std::string difference(const WitnessedRun& first, const WitnessedRun& second, const Unsteady& ignored = {});

/// What keeps a run from proving anything: processes that did not come to their end, launches nobody witnessed.
std::string unproved(const WitnessedRun& run);

/// Why a run is not one to prove anything with: the program failed, its launches did, or it is not known what they did;
/// empty if it is one.
std::string failure_of(const WitnessedRun& run);

/// Why a run of a changed program proves nothing; empty if it did what the original did.
/// @param what  "the rewritten program"
std::string disproved(const std::string& what, const WitnessedRun& original, const WitnessedRun& run,
                      const Unsteady& ignored);

/// The dynamic shared memory that the launches of a kernel had.
cuda::DynamicShared dynamic_shared(const WitnessedRun& run, const std::string& kernel);

}  // namespace bankshot::fix
