// The process id, cached for the launch path.
#pragma once

#include <sys/types.h>

namespace bankshot::cuda {

/// Like getpid(), without a system call: called once, and again in the child of a fork.
pid_t process_id();

}  // namespace bankshot::cuda
