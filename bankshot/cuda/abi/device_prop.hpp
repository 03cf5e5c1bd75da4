// cudaDeviceProp as CUDA 11, 12 and 13 lay it out. CUDA 12's headers rename the function to cudaGetDeviceProperties_v2;
// CUDA 13 dropped some fields and the old function.
#pragma once

#include <cstddef>

namespace bankshot::cuda::abi {

#define BANKSHOT_FIELD(type, name) type name;
#define BANKSHOT_ARRAY(type, name, count) type name[count];

struct DeviceProp11 {
#define BANKSHOT_GONE BANKSHOT_FIELD
#define BANKSHOT_SINCE12(type, name)
#define BANKSHOT_SINCE13(type, name)
#include "bankshot/cuda/abi/device_prop.def"
#undef BANKSHOT_GONE
#undef BANKSHOT_SINCE12
#undef BANKSHOT_SINCE13
};

struct DeviceProp12 {
#define BANKSHOT_GONE BANKSHOT_FIELD
#define BANKSHOT_SINCE12 BANKSHOT_FIELD
#define BANKSHOT_SINCE13(type, name)
#include "bankshot/cuda/abi/device_prop.def"
  int reserved[63];
#undef BANKSHOT_GONE
#undef BANKSHOT_SINCE12
#undef BANKSHOT_SINCE13
};

struct DeviceProp13 {
#define BANKSHOT_GONE(type, name)
#define BANKSHOT_SINCE12 BANKSHOT_FIELD
#define BANKSHOT_SINCE13 BANKSHOT_FIELD
#include "bankshot/cuda/abi/device_prop.def"
  int reserved[56];
#undef BANKSHOT_GONE
#undef BANKSHOT_SINCE12
#undef BANKSHOT_SINCE13
};

#undef BANKSHOT_FIELD
#undef BANKSHOT_ARRAY

// Facts known of the layouts without their headers at hand.
static_assert(sizeof(DeviceProp12) == 1032 && offsetof(DeviceProp12, unifiedFunctionPointers) == 776);
static_assert(sizeof(DeviceProp11) == 728);

}  // namespace bankshot::cuda::abi
