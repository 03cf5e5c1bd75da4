// The barrier of the grid that libcudadevrt has for kernels, as PTX.
#pragma once

#include <optional>
#include <string>

#include "bankshot/ptx/link.hpp"

namespace bankshot::cuda {

/// The module and, where it calls cudaCGGetIntrinsicHandle or cudaCGSynchronize without having them, these functions:
/// they use the workspace of a cooperative launch as cooperative_groups::grid_group does. Programs compiled by nvcc
/// have the barrier from CUDA's headers; those of Numba leave it to libcudadevrt.
/// @return nothing if the module does not need them, or is not valid PTX
std::optional<std::string> with_grid_barrier(const std::string& text);

}  // namespace bankshot::cuda
