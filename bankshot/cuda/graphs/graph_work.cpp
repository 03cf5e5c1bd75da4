#include "bankshot/cuda/graphs/graph_work.hpp"

#include <fmt/format.h>

#include <cstring>

#include "bankshot/cuda/launch/failed_launch.hpp"
#include "bankshot/cuda/launch/launch.hpp"
#include "bankshot/cuda/launch/launch_attributes.hpp"
#include "bankshot/cuda/launch/launch_check.hpp"
#include "bankshot/cuda/memory/allocate.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/stream_memory.hpp"
#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

constexpr int kHost = 1, kDevice = 2, kUnified = 4;  // CUmemorytype

int memory_type(Side side) { return side == Side::host ? kHost : side == Side::device ? kDevice : kUnified; }

Status run(Session& session, void* stream, const KernelWork& kernel) {
  const Function* const function = session.modules().function(kernel.function);
  if (!function || function->name != kernel.name) return Status::invalid_handle;  // its module was unloaded
  LaunchRequest request{
      .grid = kernel.grid, .block = kernel.block, .dynamic_shared = kernel.dynamic_shared, .packed = kernel.parameters};
  if (const auto found = kernel.attributes.find(abi::LaunchAttribute::cooperative); found != kernel.attributes.end())
    std::memcpy(&request.cooperative, found->second.data(), 1);
  if (const auto found = kernel.attributes.find(abi::LaunchAttribute::cluster_dimension);
      found != kernel.attributes.end())
    std::memcpy(&request.cluster, found->second.data(), sizeof request.cluster);
  return launch(session, *kernel.function, stream, request);
}

Status run(Session& session, const FillWork& fill_work) {
  const abi::MemsetNode& what = fill_work.what;
  const size_t bytes = what.width * what.element;
  return fill(session.memory(), {what.to, what.pitch, fill_work.slice, Side::device},
              {bytes, what.height, fill_work.depth}, what.value, what.element);
}

Status run(Session& session, const AllocateWork& allocate, bool frees) {
  GraphMemory& memory = *allocate.memory;
  if (memory.is_allocated()) {
    if (!frees) {
      say_once("graph allocates twice",
               "a graph that allocates memory is launched again before that of the last launch is freed: free it, or "
               "instantiate with cudaGraphInstantiateFlagAutoFreeOnLaunch");
      return Status::invalid_value;
    }
    session.memory().unmap(memory.address);
    session.graphs().freed(memory.bytes);
  }
  if (!session.memory().map(memory.address, memory.bytes)) return Status::out_of_memory;
  session.graphs().allocated(memory.bytes);
  return Status::success;
}

}  // namespace

MadeWork kernel_work(Session& session, const void* key, const LaunchRequest& request, void** extra) {
  Function* function = session.modules().function(key);
  if (!function) return Status::invalid_device_function;
  LaunchRequest whole = request;
  if (request.arguments && extra) return Status::invalid_value;
  if (extra)
    if (const Status status = unpack_extra(extra, whole); status != Status::success) return status;
  return kernel_work(session, *function, whole);
}

MadeWork kernel_work(Session& session, Function& function, const LaunchRequest& request) {
  if (const Status status = load(session.engine(), function); status != Status::success) return status;
  if (!function.info) return Status::invalid_device_function;
  if (const auto refusal = refusal_of(session.device(), function, request))
    return launch_failed(session, function.name, refusal->status, refusal->reason);
  KernelWork work{.function = &function,
                  .name = function.name,
                  .grid = request.grid,
                  .block = request.block,
                  .dynamic_shared = static_cast<uint32_t>(request.dynamic_shared),
                  .parameters = pack(*function.info, request),
                  .arguments = {},
                  .attributes = {}};
  for (const simt::ParamInfo& parameter : function.info->params)
    work.arguments.push_back(work.parameters.data() + parameter.offset);
  if (request.cooperative) work.attributes[abi::LaunchAttribute::cooperative] = {1};
  if (request.cluster.x != 0)
    std::memcpy(work.attributes[abi::LaunchAttribute::cluster_dimension].data(), &request.cluster,
                sizeof request.cluster);
  return Work(std::move(work));
}

abi::DriverMemcpy3D copy_parameters(const Region& to, const Region& from, const Extent& extent) {
  abi::DriverMemcpy3D copy{};
  const auto rows = [](const Region& region) { return region.pitch ? region.slice / region.pitch : 0; };
  copy.src_type = memory_type(from.side);
  copy.src_host = reinterpret_cast<const void*>(from.address);
  copy.src_device = from.address;
  copy.src_pitch = from.pitch;
  copy.src_height = rows(from);
  copy.dst_type = memory_type(to.side);
  copy.dst_host = reinterpret_cast<void*>(to.address);
  copy.dst_device = to.address;
  copy.dst_pitch = to.pitch;
  copy.dst_height = rows(to);
  copy.width = extent.width;
  copy.height = extent.height;
  copy.depth = extent.depth;
  return copy;
}

MadeWork copy_work(const abi::DriverMemcpy3D& parameters) {
  const auto is_type = [](int type) { return type >= 1 && type <= 4; };
  if (!is_type(parameters.src_type) || !is_type(parameters.dst_type)) return Status::invalid_value;
  if (parameters.src_lod || parameters.dst_lod) return Status::invalid_value;
  return Work(CopyWork{parameters});
}

MadeWork fill_work(const abi::MemsetNode* parameters) {
  if (!parameters || parameters->to == 0) return Status::invalid_value;
  if (parameters->element != 1 && parameters->element != 2 && parameters->element != 4) return Status::invalid_value;
  return Work(FillWork{.what = *parameters});
}

MadeWork host_work(const abi::HostNode* parameters) {
  if (!parameters || !parameters->function) return Status::invalid_value;
  return Work(HostWork{*parameters});
}

MadeWork allocate_work(Session& session, const abi::AllocateNode& parameters) {
  if (parameters.bytes == 0) return Status::invalid_value;
  if (parameters.pool.handle_types != 0) return Status::not_supported;  // to be shared with other processes
  const auto address = session.memory().reserve(parameters.bytes, 512);
  if (!address) return Status::out_of_memory;
  AllocateWork work{parameters, std::make_shared<GraphMemory>(session.memory(), *address, parameters.bytes)};
  work.what.address = *address;
  work.what.access = nullptr;  // the program's: one device, which has access
  work.what.access_count = 0;
  return Work(std::move(work));
}

Status execute(Session& session, void* stream, const Work& work, bool frees) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) return run(session, stream, *kernel);
  if (const auto* copy = std::get_if<CopyWork>(&work)) return copy_3d(session, copy->what);
  if (const auto* fill = std::get_if<FillWork>(&work)) return run(session, *fill);
  if (const auto* event = std::get_if<EventWork>(&work))
    return event->records ? session.events().record(event->event, session.now())
                          : session.events().exists(event->event);
  if (const auto* allocate = std::get_if<AllocateWork>(&work)) return run(session, *allocate, frees);
  if (const auto* free = std::get_if<FreeWork>(&work))
    return release(session, reinterpret_cast<void*>(free->address), {simt::MemoryKind::device});
  if (const auto* operations = std::get_if<MemoryOperationsWork>(&work)) return execute(session, *operations);
  return Status::success;
}

}  // namespace bankshot::cuda
