// Kernels that a compiler made several times from one function: which instance is which.
#pragma once

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {

/// Kernels of one name and file get what tells them apart behind their names, as a template's instances have it:
/// "mm<BM=64, num_warps=8>". Those are the parts of ModuleId::specialization in which they differ; where names would
/// be long, as many of them as are needed. A kernel alone keeps its name. May be repeated after kernels were added.
void tell_apart(RunReport& report);

}  // namespace bankshot::report
