// Which libraries need a GPU of the vendor's, whatever runs beside them.
#pragma once

#include <string_view>

namespace bankshot::gpu {

/// CUDA libraries whose kernels ship as machine code. @param library  "libcublas.so.13"
bool machine_code_only(std::string_view library);

}  // namespace bankshot::gpu
