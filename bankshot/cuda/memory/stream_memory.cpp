#include "bankshot/cuda/memory/stream_memory.hpp"

#include <cstring>

#include "bankshot/cuda/memory/allocate.hpp"
#include "bankshot/cuda/memory/device_memory.hpp"
#include "bankshot/cuda/process/checking.hpp"
#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

using Operation = abi::MemoryOperation;

enum Condition : unsigned { at_least, equal, any_bit, any_zero };

/// Source: CUDA driver API reference, enum CUstreamWaitValue_flags; the first is cyclic.
template <class Word, class Signed>
bool holds(unsigned condition, Word there, Word value) {
  switch (condition) {
    case at_least: return static_cast<Signed>(there - value) >= 0;
    case equal: return there == value;
    case any_bit: return (there & value) != 0;
    default: return static_cast<Word>(~(there | value)) != 0;
  }
}

template <class Word, class Signed>
bool is_there(const Operation& operation) {
  Word there = 0;
  std::memcpy(&there, reinterpret_cast<const void*>(operation.address), sizeof there);
  return holds<Word, Signed>(operation.flags, there, static_cast<Word>(operation.value));
}

bool waits(const Operation& operation) {
  return operation.type == Operation::wait_32 || operation.type == Operation::wait_64;
}
bool is_wide(const Operation& operation) {
  return operation.type == Operation::wait_64 || operation.type == Operation::write_64;
}

/// Device, pinned or registered memory at a multiple of the value's bytes.
bool is_reachable(DeviceMemory& memory, const Operation& operation) {
  const uint64_t bytes = is_wide(operation) ? 8 : 4;
  const auto* const pointer = reinterpret_cast<const void*>(operation.address);
  const PointerView view = look_at(memory, pointer);
  return operation.address % bytes == 0 && view.allocation && view.type != PointerView::managed_memory &&
         (waits(operation) || view.allocation->writable) &&
         check_range(memory.engine(), operation.address, bytes, Side::device) == Status::success;
}

}  // namespace

Status check(const Operation& operation) {
  switch (operation.type) {
    case Operation::wait_32:
    case Operation::wait_64:
      if (operation.flags == (operation.flags & 3)) return Status::success;
      return operation.flags & Operation::kFlush ? Status::not_supported : Status::invalid_value;
    case Operation::write_32:
    case Operation::write_64: return operation.flags == 0 ? Status::success : Status::invalid_value;
    case Operation::barrier: return operation.barrier_flags <= 1 ? Status::success : Status::invalid_value;
    case Operation::flush: return Status::not_supported;  // as the attribute of the device says
    default: return Status::invalid_value;
  }
}

Status execute(DeviceMemory& memory, const Operation& operation) {
  if (const Status status = check(operation); status != Status::success) return status;
  if (operation.type == Operation::barrier) return Status::success;  // each thing is done before the next begins
  if (!is_reachable(memory, operation)) return Status::invalid_value;
  if (!waits(operation)) {
    const uint64_t bytes = is_wide(operation) ? 8 : 4;
    std::memcpy(reinterpret_cast<void*>(operation.address), &operation.value, bytes);
    if (simt::Checks* const all = checks()) all->written(operation.address, bytes);
    return Status::success;
  }
  if (is_wide(operation) ? is_there<uint64_t, int64_t>(operation) : is_there<uint32_t, int32_t>(operation))
    return Status::success;
  say_once("stream waits for a value",
           "a stream waits for a value that has not been written yet (cuStreamWaitValue, cuStreamBatchMemOp): here, "
           "work on streams is done when it is issued, so issue the write before the wait");
  return Status::not_supported;
}

Status execute(DeviceMemory& memory, std::span<const Operation> operations) {
  for (const Operation& operation : operations)
    if (const Status status = execute(memory, operation); status != Status::success) return status;
  return Status::success;
}

}  // namespace bankshot::cuda
