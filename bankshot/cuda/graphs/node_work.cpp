#include "bankshot/cuda/graphs/node_work.hpp"

#include "bankshot/cuda/memory/stream_memory.hpp"

namespace bankshot::cuda {

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

MadeWork allocate_work(DeviceMemory& memory, const abi::AllocateNode& parameters) {
  if (parameters.bytes == 0) return Status::invalid_value;
  if (parameters.pool.handle_types != 0) return Status::not_supported;  // to be shared with other processes
  const auto address = memory.engine().reserve(parameters.bytes, 512);
  if (!address) return Status::out_of_memory;
  AllocateWork work{parameters, std::make_shared<GraphMemory>(memory.engine(), *address, parameters.bytes)};
  work.what.address = *address;
  work.what.access = nullptr;  // the program's: one device, which has access
  work.what.access_count = 0;
  return Work(std::move(work));
}

MadeWork free_work(DeviceMemory& memory, uint64_t address) {
  return memory.engine().is_reserved(address, 1) ? MadeWork(FreeWork{address}) : Status::invalid_value;
}

MadeWork memory_operations_work(const abi::MemoryOperation* operations, unsigned count, unsigned flags) {
  constexpr unsigned kMost = 256;
  if (!operations || count == 0 || count > kMost || flags != 0) return Status::invalid_value;
  MemoryOperationsWork work;
  work.operations.assign(operations, operations + count);
  for (const abi::MemoryOperation& operation : work.operations)
    if (const Status status = check(operation); status != Status::success) return status;
  return Work(std::move(work));
}

}  // namespace bankshot::cuda
