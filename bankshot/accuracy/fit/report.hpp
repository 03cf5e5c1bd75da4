// What `bankshot calibrate --from` prints and writes.
#pragma once

#include <string>

#include "bankshot/accuracy/fit/fit.hpp"

namespace bankshot::accuracy {

/// Rows that are further off than this are named.
inline constexpr double kFarPercent = 10;

/// A table of the parameters, then the rows that are still far off.
/// @param from  the file of the rows
std::string to_text(const Fit& fit, const std::string& from);

/// The document bankshot/calibrate-from/1: docs/json.md.
std::string to_json(const Fit& fit, const std::string& from);

/// The base's description with the values fitted; a comment on each says from which rows, and how far off it is.
std::string to_toml(const Fit& fit, const std::string& from);

}  // namespace bankshot::accuracy
