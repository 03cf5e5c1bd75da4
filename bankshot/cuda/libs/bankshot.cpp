// libbankshot.so: what happens when it is unloaded. Loading it does nothing.
#include "bankshot/cuda/session/ending.hpp"

namespace {

/// The end of the process, after the program's own exit handlers and destructors.
__attribute__((destructor)) void write_report() { bankshot::cuda::finish_report(); }

}  // namespace
