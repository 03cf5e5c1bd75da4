// Runs an instance of a graph.
#pragma once

#include <memory>

#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

/// Runs the nodes one after the other. Takes the session's lock, and gives it up while it calls the program's
/// functions.
/// @return success, or the error of the first node that failed; no later node runs then
Status launch(Session& session, std::shared_ptr<GraphExec> exec, void* stream);

}  // namespace bankshot::cuda
