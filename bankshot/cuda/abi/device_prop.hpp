// cudaDeviceProp as CUDA 11, 12 and 13 lay it out. CUDA 12's headers rename the function to cudaGetDeviceProperties_v2;
// CUDA 13 dropped some fields and the old function.
#pragma once

#include <cstddef>

namespace bankshot::cuda::abi {

#define FIELD(type, name) type name;
#define ARRAY(type, name, count) type name[count];

struct DeviceProp11 {
#define GONE FIELD
#define SINCE12(type, name)
#define SINCE13(type, name)
#include "bankshot/cuda/abi/device_prop.def"
#undef GONE
#undef SINCE12
#undef SINCE13
};

struct DeviceProp12 {
#define GONE FIELD
#define SINCE12 FIELD
#define SINCE13(type, name)
#include "bankshot/cuda/abi/device_prop.def"
  int reserved[63];
#undef GONE
#undef SINCE12
#undef SINCE13
};

struct DeviceProp13 {
#define GONE(type, name)
#define SINCE12 FIELD
#define SINCE13 FIELD
#include "bankshot/cuda/abi/device_prop.def"
  int reserved[56];
#undef GONE
#undef SINCE12
#undef SINCE13
};

#undef FIELD
#undef ARRAY

// Facts known of the layouts without their headers at hand.
static_assert(sizeof(DeviceProp12) == 1032 && offsetof(DeviceProp12, unifiedFunctionPointers) == 776);
static_assert(sizeof(DeviceProp11) == 728);

}  // namespace bankshot::cuda::abi
