// Estimates for all CTAs of a launch from the counters of a sample: each times all CTAs, divided by those that ran.
#pragma once

#include <cstdint>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Makes the counters of one launch, which are those of a sample of its CTAs, estimates for all of them. They are whole
/// numbers, rounded so that what adds up still does: accesses by degree and by class, ideal wavefronts and conflicts,
/// lanes of transactions. Maxima, means and the worst access stay those of the sample, and so does what a trace kept.
void scale(Kernel& launch, const simt::SampledCtas& sample);

}  // namespace bankshot::report
