// Seeds of kernels that once differed: `make test` runs them always.
#pragma once

#include <cstdint>

namespace bankshot::differential {

constexpr uint64_t kSeeds[] = {1};

}  // namespace bankshot::differential
