// Transactions on shared memory for CUDA C++, as in "Hardware Support for Local Memory Transactions on GPU
// Architectures" (GPU-LocalTM). To the other transactions of the CTA, all that a thread does to shared memory between
// tx_begin() and tx_commit() seems to happen at once, or not at all.
//
//   #include <bankshot/tm.cuh>
//
//   __shared__ int account[64];
//   tx_begin();
//   account[from] -= amount;
//   account[to] += amount;
//   tx_commit();
//
// Nothing but this header is needed: nvcc and clang compile it to PTX that any tool accepts, and Bankshot runs it. No
// GPU on sale has such transactions: there the two calls do nothing, and the accesses between them race (ptxas says
// "Pragma unsupported"). docs/transactions.md says what is guaranteed and what is refused.
#pragma once

namespace bankshot {

/// Begins a transaction for each thread that comes here. Inside a transaction it does nothing: nested ones are one.
__device__ __forceinline__ void tx_begin() { asm volatile(".pragma \"bankshot.tx_begin\";" ::: "memory"); }

/// Ends the transaction. If it conflicted with another, the thread starts again behind tx_begin(), with its registers,
/// its local memory and the shared memory that it wrote as they were. A thread that returns from here has committed.
__device__ __forceinline__ void tx_commit() { asm volatile(".pragma \"bankshot.tx_commit\";" ::: "memory"); }

}  // namespace bankshot

using bankshot::tx_begin;
using bankshot::tx_commit;
