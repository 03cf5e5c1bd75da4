// How points share the tasks of a cluster.
#pragma once

#include <cstddef>
#include <vector>

#include "bankshot/sweep/engines/engine.hpp"

namespace bankshot::sweep {

/// Tasks of about ten minutes, and no fewer than can run at once; the longest points first. Of points that nothing is
/// known of 32 make such a task.
/// @param per_task  points of a task; 0: by what they are expected to take
/// @param at_once   tasks that can run at once; 0: not known
std::vector<std::vector<Job>> batches(std::vector<Job> jobs, unsigned per_task, size_t at_once);

}  // namespace bankshot::sweep
