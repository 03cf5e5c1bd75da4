// Copies to and from __device__ and __constant__ variables, as nodes of graphs.
#pragma once

#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda::runtime {

/// @param to_symbol  the variable is written, else read @param kind  cudaMemcpyKind
MadeWork symbol_work(Session& session, const void* symbol, void* other, size_t bytes, size_t offset, int kind,
                     bool to_symbol);

}  // namespace bankshot::cuda::runtime
