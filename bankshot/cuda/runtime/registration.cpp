// What the code that nvcc and clang add to a program calls before main, around launches and at exit.
// Nothing of a fat binary is read here: see Module.
#include <mutex>

#include "bankshot/cuda/launch/launch.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

/// A <<<grid, block, shared, stream>>> on its way to the stub that launches. A stack, since arguments may launch too.
struct PendingLaunch {
  simt::Dim3 grid, block;
  size_t shared = 0;
  void* stream = nullptr;
};
/// Owns nothing: static destructors may launch, and run after the main thread's thread-local objects are destroyed.
struct PendingLaunches {
  static constexpr size_t kMost = 16;
  PendingLaunch items[kMost];
  size_t size = 0;
};
thread_local PendingLaunches pending;

Module& module_of(void** handle) { return *reinterpret_cast<Module*>(handle); }

/// A variable that cannot be had still needs memory, or the program would crash before it sees the error.
void give_stand_ins(Module& module) {
  for (auto& [name, variable] : module.variables)
    if (variable->managed_pointer && !*variable->managed_pointer)
      *variable->managed_pointer = ::operator new(variable->size, std::nothrow);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void** bankshot___cudaRegisterFatBinary(void* wrapper) {
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  auto module = std::make_unique<Module>();
  module->wrapper = wrapper;
  return reinterpret_cast<void**>(&session.modules().add(std::move(module)));
}

extern "C" __attribute__((visibility("default"))) void bankshot___cudaRegisterFatBinaryEnd(void**) {}

extern "C" __attribute__((visibility("default"))) void bankshot___cudaUnregisterFatBinary(void** handle) {
  // Called by exit(), maybe while another thread is in a kernel: there is nothing that must be freed then.
  Session& session = Session::get();
  std::unique_lock lock(session.mutex(), std::try_to_lock);
  if (lock && session.modules().contains(&module_of(handle))) session.modules().remove(&module_of(handle));
}

extern "C" __attribute__((visibility("default"))) void bankshot___cudaRegisterFunction(void** handle, const char* host,
                                                                                       char*, const char* name, int,
                                                                                       void*, void*, void*, void*,
                                                                                       int*) {
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  session.modules().register_function(module_of(handle), host, name);
}

extern "C" __attribute__((visibility("default"))) void bankshot___cudaRegisterVar(void** handle, char* host, char*,
                                                                                  const char* name, int, size_t size,
                                                                                  int, int) {
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  auto variable = std::make_unique<Variable>();
  variable->name = name;
  variable->size = size;
  session.modules().register_variable(module_of(handle), host, std::move(variable));
}

extern "C" __attribute__((visibility("default"))) void bankshot___cudaRegisterManagedVar(void** handle, void** host,
                                                                                         char*, const char* name, int,
                                                                                         size_t size, int, int) {
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  auto variable = std::make_unique<Variable>();
  variable->name = name;
  variable->size = size;
  variable->managed_pointer = host;
  session.modules().register_variable(module_of(handle), host, std::move(variable));
}

/// Called before the first use of a __managed__ variable of the module by the host.
extern "C" __attribute__((visibility("default"))) char bankshot___cudaInitModule(void** handle) {
  const Status status = call([&](Session& session) { return load(session.load_target(), module_of(handle)); });
  if (status != Status::success) give_stand_ins(module_of(handle));
  return status == Status::success;
}

extern "C" __attribute__((visibility("default"))) unsigned bankshot___cudaPushCallConfiguration(simt::Dim3 grid,
                                                                                                simt::Dim3 block,
                                                                                                size_t shared,
                                                                                                void* stream) {
  if (pending.size == PendingLaunches::kMost) return 1;  // the program then leaves the launch out
  pending.items[pending.size++] = {grid, block, shared, stream};
  return 0;
}

BANKSHOT_API(__cudaPopCallConfiguration)(simt::Dim3* grid, simt::Dim3* block, size_t* shared, void** stream) {
  if (pending.size == 0) return remember(Status::missing_configuration);
  const PendingLaunch& launch = pending.items[--pending.size];
  *grid = launch.grid;
  *block = launch.block;
  *shared = launch.shared;
  *stream = launch.stream;
  return Status::success;
}

}  // namespace bankshot::cuda::runtime
