// Memory pools; see bankshot/cuda/pools.hpp.
#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/abi_graph.hpp"
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

BANKSHOT_API(cuMemPoolTrimTo)(void* handle, size_t keep) {
  return query([&](Session& session) {
    Pool* pool = session.pools().find(handle);
    if (!pool) return Status::invalid_value;
    pool->trim(keep);
    return Status::success;
  });
}

BANKSHOT_API(cuMemPoolSetAccess)(void* pool, const abi::AccessDescription* descriptions, size_t count) {
  return query([&](Session& session) {
    if (!descriptions) return Status::invalid_value;
    for (size_t k = 0; k < count; ++k) {
      const auto& [location, flags] = descriptions[k];
      const Status status = set_pool_access(session.pools().find(pool), location.type, location.id, flags);
      if (status != Status::success) return status;
    }
    return Status::success;
  });
}

BANKSHOT_API(cuMemPoolGetAccess)(int* flags, void* pool, const abi::Location* location) {
  return query([&](Session& session) {
    constexpr int kReadWrite = 3;
    if (!flags || !location) return Status::invalid_value;
    *flags = kReadWrite;
    return set_pool_access(session.pools().find(pool), location->type, location->id, kReadWrite);
  });
}

}  // namespace bankshot::cuda::driver
