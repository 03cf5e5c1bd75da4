// Memory pools.
#include "bankshot/cuda/memory/pools.hpp"

#include "bankshot/cuda/driver/call.hpp"

namespace bankshot::cuda::driver {

#define BANKSHOT_POOL_CALL(name, parameters, expression) \
  BANKSHOT_API(cu##name) parameters {                    \
    return query([&](Session& session) {                 \
      PoolTable& pools = session.memory().pools;         \
      return expression;                                 \
    });                                                  \
  }
#include "bankshot/cuda/interface/pool_calls.def"

// The same functions, given a place and a kind of memory.

BANKSHOT_API(cuMemGetDefaultMemPool)(void** pool, const abi::Location* location, int kind) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? bankshot_cuDeviceGetDefaultMemPool(pool, 0) : status;
}
BANKSHOT_API(cuMemGetMemPool)(void** pool, const abi::Location* location, int kind) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? bankshot_cuDeviceGetMemPool(pool, 0) : status;
}
BANKSHOT_API(cuMemSetMemPool)(const abi::Location* location, int kind, void* pool) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? bankshot_cuDeviceSetMemPool(0, pool) : status;
}

}  // namespace bankshot::cuda::driver
