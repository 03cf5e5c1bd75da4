// Copies described by structures, either end of which may be an array.
#pragma once

#include "bankshot/cuda/abi.hpp"
#include "bankshot/cuda/session.hpp"
#include "bankshot/cuda/transfer.hpp"

namespace bankshot::cuda {

/// cudaMemcpy3D. Extent and positions are in elements where an array takes part, for pointers their positions are in bytes.
/// Source: CUDA runtime API reference, cudaMemcpy3D
Status copy_3d(Session& session, const abi::Memcpy3DParms& parms, Side to, Side from);

/// cuMemcpy2D and cuMemcpy3D: all of x in bytes.
Status copy_2d(Session& session, const abi::DriverMemcpy2D& c);
Status copy_3d(Session& session, const abi::DriverMemcpy3D& c);

}  // namespace bankshot::cuda
