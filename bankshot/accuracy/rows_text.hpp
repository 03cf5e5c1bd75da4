// Rows and answers as reports have them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bankshot/accuracy/evaluate.hpp"

namespace bankshot::accuracy {

/// "quantity: condition", cut to 62 letters, the width of its column.
std::string what_of(const Row& row);

/// Four significant digits, no exponents.
std::string significant(double value);

nlohmann::ordered_json json_of(const Answer& answer);
nlohmann::ordered_json json_of(const std::vector<Unanswered>& unanswered);

}  // namespace bankshot::accuracy
