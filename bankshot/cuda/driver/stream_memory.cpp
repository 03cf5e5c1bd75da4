// Values in memory that streams write and wait for.
#include "bankshot/cuda/memory/stream_memory.hpp"

#include "bankshot/cuda/driver/call.hpp"
#include "bankshot/cuda/graphs/node_work.hpp"

namespace bankshot::cuda::driver {
namespace {

using Operation = abi::MemoryOperation;

Status issue_operations(void* stream, const Operation* operations, unsigned count, unsigned flags) {
  const auto work = [&](Session&) { return memory_operations_work(operations, count, flags); };
  return issue(
      stream,
      [&](Session& session) {
        const MadeWork made = work(session);
        return made ? execute(session.memory(), std::get<MemoryOperationsWork>(*made).operations) : made.error();
      },
      work);
}

Status issue_operation(void* stream, Operation::Type type, DevicePointer address, uint64_t value, unsigned flags) {
  Operation operation{};
  operation.type = type;
  operation.address = address;
  operation.value = value;
  operation.flags = flags;
  return issue_operations(stream, &operation, 1, 0);
}

}  // namespace

BANKSHOT_API(cuStreamWaitValue32_v2)(void* stream, DevicePointer address, uint32_t value, unsigned flags) {
  return issue_operation(stream, Operation::wait_32, address, value, flags);
}
BANKSHOT_API(cuStreamWaitValue64_v2)(void* stream, DevicePointer address, uint64_t value, unsigned flags) {
  return issue_operation(stream, Operation::wait_64, address, value, flags);
}
BANKSHOT_API(cuStreamWriteValue32_v2)(void* stream, DevicePointer address, uint32_t value, unsigned flags) {
  return issue_operation(stream, Operation::write_32, address, value, flags);
}
BANKSHOT_API(cuStreamWriteValue64_v2)(void* stream, DevicePointer address, uint64_t value, unsigned flags) {
  return issue_operation(stream, Operation::write_64, address, value, flags);
}
BANKSHOT_API(cuStreamBatchMemOp_v2)(void* stream, unsigned count, const Operation* operations, unsigned flags) {
  return issue_operations(stream, operations, count, flags);
}

}  // namespace bankshot::cuda::driver
