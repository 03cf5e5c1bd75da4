// Functions of the driver interface by name, for cuGetProcAddress and cudaGetDriverEntryPoint.
#pragma once

namespace bankshot::cuda {

/// The function that `name` means to a program written for a CUDA version (13000 = 13.0): its newest variant up to that
/// version. Null if the driver interface has no such function. Unsupported functions are found too; they report it
/// when called.
void* entry_point(const char* name, int version);

}  // namespace bankshot::cuda
