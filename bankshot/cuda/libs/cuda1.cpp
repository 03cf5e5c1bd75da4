// The driver library: names only, see forward.hpp.
#define BANKSHOT_NOT_SUPPORTED "bankshot_driver_not_supported"
// clang-format off
#include "forward.hpp"
#include "cuda1.def"
BANKSHOT_FORWARD(_exit, _exit)
BANKSHOT_FORWARD(_Exit, _exit)
// clang-format on
