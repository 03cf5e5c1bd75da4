// What an experiment found, as text and as JSON.
#pragma once

#include <string>

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::cli {

/// The rows as a table, the figures as tables, then what there is to say about them.
std::string to_text(const experiment::Experiment& one, const experiment::Outcome& outcome);
/// bankshot/reproduce/1, one line.
std::string to_json(const experiment::Experiment& one, const experiment::Outcome& outcome);

}  // namespace bankshot::cli
