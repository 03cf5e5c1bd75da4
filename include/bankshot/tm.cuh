// Transactions on shared memory for CUDA C++, as Hardware Support for Local Memory Transactions on GPU Architectures
// has them (GPU-LocalTM): what a thread does to shared memory between tx_begin() and tx_commit() happens at once, as
// far as the other transactions of its CTA can tell, or not at all.
//
//   #include <bankshot/tm.cuh>
//
//   __shared__ int account[64];
//   tx_begin();
//   account[from] -= amount;
//   account[to] += amount;
//   tx_commit();
//
// The header is all there is to it: nvcc and clang make PTX of it that any tool takes, and Bankshot runs it. No GPU
// that can be bought has such transactions: there the two calls do nothing, and the accesses between them race (ptxas
// says "Pragma unsupported"). docs/transactions.md tells what is guaranteed and what is refused.
#pragma once

namespace bankshot {

/// Begins a transaction, for each thread that comes here; or, in one, does nothing (nested transactions are one).
__device__ __forceinline__ void tx_begin() { asm volatile(".pragma \"bankshot.tx_begin\";" ::: "memory"); }

/// Ends it. A thread whose transaction met another's on its way there starts again behind tx_begin(), its registers and
/// local memory and what it wrote to shared memory as they were; a thread that comes out here has committed.
__device__ __forceinline__ void tx_commit() { asm volatile(".pragma \"bankshot.tx_commit\";" ::: "memory"); }

}  // namespace bankshot

using bankshot::tx_begin;
using bankshot::tx_commit;
