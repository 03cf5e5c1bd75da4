// Memory pools; see bankshot/cuda/memory/pools.hpp.
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/memory/pools.hpp"

namespace bankshot::cuda::driver {

BANKSHOT_API(cuDeviceGetDefaultMemPool)(void** pool, int device) {
  return query([&](Session& session) {
    return device == 0 ? give(pool, session.pools().default_pool()) : Status::invalid_device;
  });
}

BANKSHOT_API(cuDeviceGetMemPool)(void** pool, int device) {
  return query(
      [&](Session& session) { return device == 0 ? give(pool, session.pools().current()) : Status::invalid_device; });
}

BANKSHOT_API(cuDeviceSetMemPool)(int device, void* pool) {
  return query([&](Session& session) {
    if (device != 0) return Status::invalid_device;
    return session.pools().use(pool) ? Status::success : Status::invalid_value;
  });
}

BANKSHOT_API(cuMemPoolCreate)(void** pool, const void* properties) {
  return query([&](Session& session) {
    return pool && properties ? give(pool, session.pools().create()) : Status::invalid_value;
  });
}

BANKSHOT_API(cuMemPoolDestroy)(void* pool) {
  return query(
      [&](Session& session) { return session.pools().destroy(pool) ? Status::success : Status::invalid_value; });
}

BANKSHOT_API(cuMemPoolSetAttribute)(void* pool, int attribute, const void* value) {
  return query([&](Session& session) { return set_pool_attribute(session.pools().find(pool), attribute, value); });
}

BANKSHOT_API(cuMemPoolGetAttribute)(void* pool, int attribute, void* value) {
  return query([&](Session& session) { return get_pool_attribute(session.pools().find(pool), attribute, value); });
}

BANKSHOT_API(cuMemPoolTrimTo)(void* handle, size_t keep) {
  return query([&](Session& session) {
    Pool* pool = session.pools().find(handle);
    if (!pool) return Status::invalid_value;
    pool->trim(keep);
    return Status::success;
  });
}

BANKSHOT_API(cuMemPoolSetAccess)(void* pool, const abi::AccessDescription* descriptions, size_t count) {
  return query([&](Session& session) { return set_pool_access(session.pools().find(pool), descriptions, count); });
}

BANKSHOT_API(cuMemPoolGetAccess)(int* flags, void* pool, const abi::Location* location) {
  return query([&](Session& session) { return get_pool_access(session.pools().find(pool), flags, location); });
}

// The same by a place and a kind of memory.

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
