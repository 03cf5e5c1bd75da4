// Error states and texts.
#include "bankshot/cuda/abi/errors.hpp"

#include <string>

#include "bankshot/cuda/launch/failed_launch.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {

Status& last_error() {
  thread_local Status error = Status::success;
  return error;
}

BANKSHOT_API(cudaGetLastError)() {
  const Status error = last_error();
  if (is_sticky(error)) {  // the error of a failed kernel stays until the device is reset
    Session& session = Session::get();
    std::lock_guard lock(session.mutex());
    if (session.corrupted() != Status::success) return error;
  }
  last_error() = Status::success;
  return error;
}

BANKSHOT_API(cudaPeekAtLastError)() { return last_error(); }

extern "C" __attribute__((visibility("default"))) const char* bankshot_cudaGetErrorName(int code) {
  const ErrorRow* row = find_error(code);
  return row && row->runtime_name ? row->runtime_name : simt::kUnknownError;
}

extern "C" __attribute__((visibility("default"))) const char* bankshot_cudaGetErrorString(int code) {
  const ErrorRow* row = find_error(code);
  return row && row->runtime_name ? row->text : simt::kUnknownError;
}

/// Where the functions without an implementation go; see libs/forward.hpp.
extern "C" __attribute__((visibility("default"))) Status bankshot_runtime_not_supported(const char* name) {
  say_once(name, std::string(name) + " is not supported; it returns cudaErrorNotSupported");
  not_there(name);
  return remember(Status::not_supported);
}

}  // namespace bankshot::cuda::runtime
