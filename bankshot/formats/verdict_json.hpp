// A report as --json writes it: with the verdict of its run.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// Member `verdict` of a report: every gap, and each limit as kept or exceeded. With gaps, a limit that is not exceeded
/// has no verdict. The errors of a check are a limit of the whole program.
nlohmann::ordered_json verdict_json(const Run& run);

/// The report with its verdict.
std::string to_json(const Run& run);

}  // namespace bankshot::formats
