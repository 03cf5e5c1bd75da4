// One stub for each function of the runtime library, of each release we stand in for. A function of the runtime inside
// a program gets a jump to its stub; the stub jumps to our function with the arguments as they came. The first call
// loads our library: the loader does not allow that at the time at which the jumps are written.
#pragma once

#include <span>
#include <string_view>

#include "bankshot/cuda/embedded/symbols.hpp"

namespace bankshot::cuda::embedded {

struct Stub {
  const char* name;
  const void* code;
  const void* target;  ///< our function; null before the first call of any function of the release
};

std::span<Stub> stubs_of(Release release);
/// Null if our library of that release has no function of that name.
const Stub* find_stub(Release release, std::string_view name);

/// The `_exit` of our library, which writes the report; null if no stub was called.
using Exit = void (*)(int);
Exit exit_of_runtime();

}  // namespace bankshot::cuda::embedded
