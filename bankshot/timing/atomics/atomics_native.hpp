// What a GPU file says of atomics at the banks.
#pragma once

#include "bankshot/timing/base/parameter.hpp"

namespace bankshot::timing {

inline constexpr Parameter kCombinesIncrements = {
    "scratchpad",
    "combines_increments",
    Parameter::kFlag,
    0,
    1,
    0,
    "native atomics that add 1 count the lanes on one word instead of taking turns"};

}  // namespace bankshot::timing
