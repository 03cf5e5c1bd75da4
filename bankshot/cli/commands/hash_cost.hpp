// What a bank hash costs in hardware, as text and JSON, for several clocks.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bankshot/circuit/synthesis.hpp"

namespace bankshot::cli {

struct HashCost {
  circuit::Units units;
  circuit::Synthesis synthesis;
  circuit::Activities activities;
  std::vector<double> ghz;  ///< clocks of the process of 40 nm
};

std::string to_text(const HashCost& cost);
nlohmann::ordered_json to_json(const HashCost& cost);

}  // namespace bankshot::cli
