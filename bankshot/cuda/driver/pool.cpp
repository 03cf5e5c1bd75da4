// Memory pools; see bankshot/cuda/pools.hpp.
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/pools.hpp"

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

BANKSHOT_API(cuMemPoolTrimTo)(void* pool, size_t) {
  return query([&](Session& session) { return session.pools().find(pool) ? Status::success : Status::invalid_value; });
}

}  // namespace bankshot::cuda::driver
