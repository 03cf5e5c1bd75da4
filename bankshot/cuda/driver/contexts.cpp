// Contexts of the driver interface.
#include "bankshot/cuda/driver/call.hpp"

namespace bankshot::cuda::driver {

BANKSHOT_API(cuCtxCreate_v2)(Context** context, unsigned flags, int device) {
  return query([&](Session& session) {
    if (!context) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    if (const Status status = session.open(); status != Status::success) return status;
    *context = Contexts::get().create(flags);
    return context_stack().push_back(*context) ? Status::success : Status::out_of_memory;
  });
}

/// The third version has execution affinities, a share of the SMs: a pointer and a count before the flags.
BANKSHOT_API(cuCtxCreate_v3)(Context** context, void*, int count, unsigned flags, int device) {
  return count > 0 ? Status::not_supported : bankshot_cuCtxCreate_v2(context, flags, device);
}

/// CUctxCreateParams. Programs also give it with nothing in it, which the real driver takes as none.
struct ContextParameters {
  void* affinities;
  int affinity_count;
  void* graphics;  ///< what to share with a graphics API
};

/// The fourth has them in a structure, null when there are none.
BANKSHOT_API(cuCtxCreate_v4)(Context** context, const ContextParameters* parameters, unsigned flags, int device) {
  if (parameters && parameters->graphics) return Status::not_supported;
  return bankshot_cuCtxCreate_v3(context, parameters ? parameters->affinities : nullptr,
                                 parameters ? parameters->affinity_count : 0, flags, device);
}

BANKSHOT_API(cuCtxDestroy_v2)(Context* context) {
  return query([&](Session& session) {
    if (session.work().running_graphs != 0) return Status::not_permitted;  // it may be the last context
    if (!Contexts::get().destroy(context)) return Status::invalid_context;
    if (!context_stack().empty() && context_stack().back() == context) context_stack().pop_back();
    return Contexts::get().any() ? Status::success : session.reset();
  });
}

/// The predecessor of cuCtxDestroy, which PyCUDA calls. A context is attached once, by the function that created it:
/// cuCtxAttach is not supported.
BANKSHOT_API(cuCtxDetach)(Context* context) { return bankshot_cuCtxDestroy_v2(context); }

BANKSHOT_API(cuCtxPushCurrent_v2)(Context* context) {
  return query([&](Session&) {
    if (!Contexts::get().is_valid(context)) return Status::invalid_context;
    return context_stack().push_back(context) ? Status::success : Status::out_of_memory;
  });
}

BANKSHOT_API(cuCtxPopCurrent_v2)(Context** context) {
  return query([&](Session&) {
    if (!current_context()) return Status::invalid_context;
    if (context) *context = context_stack().back();
    context_stack().pop_back();
    return Status::success;
  });
}

BANKSHOT_API(cuCtxSetCurrent)(Context* context) {
  return query([&](Session&) {
    if (context && !Contexts::get().is_valid(context)) return Status::invalid_context;
    if (!context_stack().empty()) context_stack().pop_back();
    if (context) context_stack().push_back(context);
    return Status::success;
  });
}

BANKSHOT_API(cuCtxGetCurrent)(Context** context) {
  return query([&](Session&) { return give(context, current_context()); });
}

BANKSHOT_API(cuCtxGetDevice)(int* device) {
  return query([&](Session&) { return current_context() ? give(device, 0) : Status::invalid_context; });
}

BANKSHOT_API(cuCtxGetDevice_v2)(int* device, Context* context) {
  return query([&](Session&) {
    return context && !Contexts::get().is_valid(context) ? Status::invalid_context : give(device, 0);
  });
}

BANKSHOT_API(cuCtxSynchronize)() {
  return call_synchronized([](Session& session) {
    session.report().refresh();
    return Status::success;
  });
}

BANKSHOT_API(cuCtxSynchronize_v2)(Context*) { return bankshot_cuCtxSynchronize(); }

BANKSHOT_API(cuCtxGetFlags)(unsigned* flags) {
  return query(
      [&](Session&) { return current_context() ? give(flags, current_context()->flags) : Status::invalid_context; });
}

BANKSHOT_API(cuCtxSetFlags)(unsigned flags) {
  return query([&](Session&) {
    if (!current_context()) return Status::invalid_context;
    current_context()->flags = flags;
    return Status::success;
  });
}

BANKSHOT_API(cuCtxGetId)(Context* context, unsigned long long* id) {
  return query([&](Session&) {
    Context* wanted = context ? context : current_context();
    return Contexts::get().is_valid(wanted) ? give(id, wanted->id) : Status::invalid_context;
  });
}

BANKSHOT_API(cuCtxGetApiVersion)(Context*, unsigned* version) {
  return query([&](Session&) { return give(version, 3020); });
}

BANKSHOT_API(cuCtxSetLimit)(int limit, size_t value) {
  return call([&](Session& session) { return session.limits().set(limit, value, session.memory().engine()); });
}

BANKSHOT_API(cuCtxGetLimit)(size_t* value, int limit) {
  return call([&](Session& session) { return session.limits().get(limit, value); });
}

BANKSHOT_API(cuCtxSetCacheConfig)(int) {
  return call([](Session&) { return Status::success; });
}
BANKSHOT_API(cuCtxGetCacheConfig)(int* config) {
  return call([&](Session&) { return give(config, 0); });
}
BANKSHOT_API(cuCtxSetSharedMemConfig)(int) {
  return call([](Session&) { return Status::success; });
}
BANKSHOT_API(cuCtxGetSharedMemConfig)(int* config) {
  return call([&](Session&) { return give(config, 1); });
}

BANKSHOT_API(cuCtxResetPersistingL2Cache)() {
  return call([](Session&) { return Status::success; });
}

BANKSHOT_API(cuCtxGetStreamPriorityRange)(int* lowest, int* highest) {
  return query([&](Session&) {
    if (lowest) *lowest = kLowestPriority;
    if (highest) *highest = kHighestPriority;
    return Status::success;
  });
}

BANKSHOT_API(cuCtxEnablePeerAccess)(Context*, unsigned) {
  return query([](Session&) { return Status::peer_access_unsupported; });
}
BANKSHOT_API(cuCtxDisablePeerAccess)(Context*) {
  return query([](Session&) { return Status::peer_access_not_enabled; });
}

// The primary context, which the runtime interface uses.

BANKSHOT_API(cuDevicePrimaryCtxRetain)(Context** context, int device) {
  return query([&](Session& session) {
    if (!context) return Status::invalid_value;
    if (device != 0) return Status::invalid_device;
    if (const Status status = session.open(); status != Status::success) return status;
    ++Contexts::get().primary_uses;
    *context = Contexts::get().primary();
    return Status::success;
  });
}

BANKSHOT_API(cuDevicePrimaryCtxRelease_v2)(int device) {
  return query([&](Session&) {
    if (device != 0) return Status::invalid_device;
    // Not a reset at the last release: a program may use the runtime interface beside this one.
    if (Contexts::get().primary_uses == 0) return Status::invalid_context;
    --Contexts::get().primary_uses;
    return Status::success;
  });
}

BANKSHOT_API(cuDevicePrimaryCtxReset_v2)(int device) {
  return query([&](Session& session) { return device == 0 ? session.reset() : Status::invalid_device; });
}

BANKSHOT_API(cuDevicePrimaryCtxSetFlags_v2)(int device, unsigned flags) {
  return query([&](Session&) {
    if (device != 0) return Status::invalid_device;
    Contexts::get().primary()->flags = flags;
    return Status::success;
  });
}

BANKSHOT_API(cuDevicePrimaryCtxGetState)(int device, unsigned* flags, int* active) {
  return query([&](Session& session) {
    if (device != 0) return Status::invalid_device;
    if (!flags || !active) return Status::invalid_value;
    *flags = Contexts::get().primary()->flags;
    *active = session.is_open() ? 1 : 0;
    return Status::success;
  });
}

}  // namespace bankshot::cuda::driver
