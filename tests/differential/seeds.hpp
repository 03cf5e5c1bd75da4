// Seeds of kernels that found something: `make test` runs them always. What changes the generator makes other kernels
// of them.
#pragma once

#include <cstdint>

namespace bankshot::differential {

constexpr uint64_t kSeeds[] = {
    333, 725,  // cvt.relu.tf32 after an instruction with .ftz
    6,         // a vote in a function that lanes call from both sides of a branch
    1000220,   // compiled: halves that are the same for all lanes
};

}  // namespace bankshot::differential
