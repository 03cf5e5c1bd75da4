// What a calibration tells: text and JSON.
#pragma once

#include <string>

#include "bankshot/measure/description.hpp"

namespace bankshot::measure {

/// The measured tables, for the report and the head of the written file.
std::string summary(const Calibration& calibration);

/// … and what the description says because of it.
std::string to_text(const Calibration& calibration, const Base& base, const Description& description);

/// Schema bankshot/calibrate/1: docs/json.md.
std::string to_json(const Calibration& calibration, const Base& base, const Description& description);

}  // namespace bankshot::measure
