// What a module is known by, from its PTX.
#pragma once

#include <string_view>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cuda {

/// The specialization is in comments, each in a line of its own: "// Specialization: BM=64".
report::ModuleId id_of(std::string_view ptx);

}  // namespace bankshot::cuda
