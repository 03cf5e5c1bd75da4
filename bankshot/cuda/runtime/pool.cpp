// Memory pools; see bankshot/cuda/pools.hpp.
#include "bankshot/cuda/pools.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

Status give_pool(void** pool, int device, bool current) {
  return call([&](Session& session) {
    if (!pool) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    *pool = current ? session.pools().current() : session.pools().default_pool();
    return Status::success;
  });
}

}  // namespace

BANKSHOT_API(cudaDeviceGetDefaultMemPool)(void** pool, int device) { return give_pool(pool, device, false); }
BANKSHOT_API(cudaDeviceGetMemPool)(void** pool, int device) { return give_pool(pool, device, true); }

BANKSHOT_API(cudaDeviceSetMemPool)(int device, void* pool) {
  return call([&](Session& session) {
    if (device != 0) return Status::invalid_device;
    return session.pools().use(pool) ? Status::success : Status::invalid_value;
  });
}

BANKSHOT_API(cudaMemPoolCreate)(void** pool, const void* properties) {
  return call([&](Session& session) {
    if (!pool || !properties) return Status::invalid_value;
    *pool = session.pools().create();
    return Status::success;
  });
}

BANKSHOT_API(cudaMemPoolDestroy)(void* pool) {
  return call(
      [&](Session& session) { return session.pools().destroy(pool) ? Status::success : Status::invalid_value; });
}

BANKSHOT_API(cudaMemPoolSetAttribute)(void* pool, int attribute, const void* value) {
  return call([&](Session& session) { return set_pool_attribute(session.pools().find(pool), attribute, value); });
}

BANKSHOT_API(cudaMemPoolGetAttribute)(void* pool, int attribute, void* value) {
  return call([&](Session& session) { return get_pool_attribute(session.pools().find(pool), attribute, value); });
}

BANKSHOT_API(cudaMemPoolTrimTo)(void* pool, size_t) {
  return call([&](Session& session) { return session.pools().find(pool) ? Status::success : Status::invalid_value; });
}

}  // namespace bankshot::cuda::runtime
