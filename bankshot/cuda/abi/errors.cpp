#include "bankshot/cuda/abi/errors.hpp"

namespace bankshot::cuda {

Status status_of(simt::Fault::Kind kind) {
  using Kind = simt::Fault::Kind;
  switch (kind) {
    case Kind::illegal_address:
    case Kind::out_of_shared:
    case Kind::out_of_local: return Status::illegal_address;
    case Kind::misaligned: return Status::misaligned_address;
    case Kind::assertion: return Status::assertion;
    case Kind::bad_call: return Status::invalid_program_counter;
    // A GPU waits for ever, or until the watchdog of a display ends the kernel, which is this code.
    case Kind::deadlock:
    case Kind::divergent_barrier: return Status::launch_timeout;
    case Kind::trap:
    case Kind::bad_barrier:
    case Kind::bad_copy:
    case Kind::bad_transaction:
    case Kind::foreign_words: return Status::launch_failure;
    case Kind::bad_tensor_memory:
    case Kind::partial_warp: return Status::launch_failure;
  }
  return Status::launch_failure;
}

bool is_sticky(Status status) {
  switch (status) {
    case Status::illegal_address:
    case Status::launch_timeout:
    case Status::assertion:
    case Status::misaligned_address:
    case Status::invalid_program_counter:
    case Status::launch_failure: return true;
    default: return false;
  }
}

}  // namespace bankshot::cuda
