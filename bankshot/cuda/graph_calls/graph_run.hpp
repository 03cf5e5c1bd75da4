// Carrying out graphs.
#pragma once

#include <memory>

#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

/// Carries out the nodes, one after the other. Takes the session's lock, and gives it up while the program is called
/// back.
/// @return success, or the error of the first node that failed, behind which none runs
Status launch(Session& session, std::shared_ptr<GraphExec> exec, void* stream);

}  // namespace bankshot::cuda
