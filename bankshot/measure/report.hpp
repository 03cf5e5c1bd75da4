// What a calibration tells: text and JSON.
#pragma once

#include <string>

#include "bankshot/measure/description.hpp"
#include "bankshot/measure/vote_check.hpp"

namespace bankshot::measure {

/// The measured tables, for the report and the head of the written file.
std::string summary(const Calibration& calibration);

/// … what the description says because of it, and how far the model and the simulator are from the GPU with it.
/// @param votes  or why they could not be checked; the measurements are valid in any case
std::string to_text(const Calibration& calibration, const Base& base, const Description& description,
                    const Result<VoteCheck>& votes);

/// Schema bankshot/calibrate/1: docs/json.md.
std::string to_json(const Calibration& calibration, const Base& base, const Description& description,
                    const Result<VoteCheck>& votes);

}  // namespace bankshot::measure
