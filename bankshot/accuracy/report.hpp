// What `bankshot accuracy` prints.
#pragma once

#include <string>

#include "bankshot/accuracy/evaluate.hpp"

namespace bankshot::accuracy {

/// Tables: the rows of each GPU, the summary, what was not run.
/// @param device  name of the real GPU that was measured; empty: simulated
std::string to_text(const Evaluation& evaluation, const std::string& device);

/// The document bankshot/accuracy/1: docs/json.md.
/// @param from  the file of the rows
std::string to_json(const Evaluation& evaluation, const std::string& device, const std::string& from);

}  // namespace bankshot::accuracy
