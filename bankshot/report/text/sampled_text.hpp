// What there is to say of launches of which a sample of the CTAs ran.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {

/// That counts are estimates and what that means for the program; empty if all CTAs were to run.
std::string sampled_text(const RunReport& report, const Paint& paint);
/// On how many CTAs the numbers of the kernel rest, with their errors, or why all ran.
std::string sampled_text(const Kernel& kernel, const Paint& paint);
/// "only 64 of 4,096 CTAs ran (--sample-ctas), so counts are estimates", or empty if all ran.
std::string sampled_sentence(const RunReport& report);

}  // namespace bankshot::report
