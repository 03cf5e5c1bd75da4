// What an experiment found, as text and as JSON.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::cli {

/// The rows as a table, the figures as tables, then what there is to say about them.
/// @param quick  it was not the full run, which its deviations speak of
std::string to_text(const experiment::Experiment& one, const experiment::Outcome& outcome, bool quick);
/// bankshot/reproduce/1.
nlohmann::ordered_json to_document(const experiment::Experiment& one, const experiment::Outcome& outcome, bool quick);

}  // namespace bankshot::cli
