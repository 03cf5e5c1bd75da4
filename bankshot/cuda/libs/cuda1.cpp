// The driver library: names only, see forward.hpp.
#define BANKSHOT_NOT_SUPPORTED "bankshot_driver_not_supported"
#include "cuda1.def"

#include "forward.hpp"
