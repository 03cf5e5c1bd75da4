// Memory pools; see bankshot/cuda/memory/pools.hpp.
#include "bankshot/cuda/memory/pools.hpp"
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

BANKSHOT_API(cudaMemPoolTrimTo)(void* handle, size_t keep) {
  return call([&](Session& session) {
    Pool* pool = session.pools().find(handle);
    if (!pool) return Status::invalid_value;
    pool->trim(keep);
    return Status::success;
  });
}

BANKSHOT_API(cudaMemPoolSetAccess)(void* pool, const abi::AccessDescription* descriptions, size_t count) {
  return call([&](Session& session) { return set_pool_access(session.pools().find(pool), descriptions, count); });
}

BANKSHOT_API(cudaMemPoolGetAccess)(int* flags, void* pool, const abi::Location* location) {
  return call([&](Session& session) { return get_pool_access(session.pools().find(pool), flags, location); });
}

// The same by a place and a kind of memory.

BANKSHOT_API(cudaMemGetDefaultMemPool)(void** pool, const abi::Location* location, int kind) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? give_pool(pool, 0, false) : remember(status);
}
BANKSHOT_API(cudaMemGetMemPool)(void** pool, const abi::Location* location, int kind) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? give_pool(pool, 0, true) : remember(status);
}
BANKSHOT_API(cudaMemSetMemPool)(const abi::Location* location, int kind, void* pool) {
  const Status status = check_pool_place(location, kind);
  return status == Status::success ? bankshot_cudaDeviceSetMemPool(0, pool) : remember(status);
}

}  // namespace bankshot::cuda::runtime
