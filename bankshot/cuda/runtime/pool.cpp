// Memory pools.
#include "bankshot/cuda/memory/pools.hpp"

#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {

#define BANKSHOT_POOL_CALL(name, parameters, expression) \
  BANKSHOT_API(cuda##name) parameters {                  \
    return call([&](Session& session) {                  \
      PoolTable& pools = session.memory().pools;         \
      return expression;                                 \
    });                                                  \
  }
#include "bankshot/cuda/interface/pool_calls.def"

// The same functions, given a place and a kind of memory.

BANKSHOT_API(cudaMemGetDefaultMemPool)(void** pool, const abi::Location* location, int kind) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? bankshot_cudaDeviceGetDefaultMemPool(pool, 0) : remember(status);
}
BANKSHOT_API(cudaMemGetMemPool)(void** pool, const abi::Location* location, int kind) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? bankshot_cudaDeviceGetMemPool(pool, 0) : remember(status);
}
BANKSHOT_API(cudaMemSetMemPool)(const abi::Location* location, int kind, void* pool) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? bankshot_cudaDeviceSetMemPool(0, pool) : remember(status);
}

}  // namespace bankshot::cuda::runtime
