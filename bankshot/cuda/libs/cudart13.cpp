// CUDA 13's runtime library: names only, see forward.hpp.
#define BANKSHOT_NOT_SUPPORTED "bankshot_runtime_not_supported"
#include "cudart13.def"

#include "forward.hpp"
