// CUDA 12's runtime library: names only, see forward.hpp.
#define BANKSHOT_NOT_SUPPORTED "bankshot_runtime_not_supported"
// clang-format off
#include "forward.hpp"
#include "cudart12.def"
BANKSHOT_FORWARD(_exit, _exit)
BANKSHOT_FORWARD(_Exit, _exit)
// clang-format on
