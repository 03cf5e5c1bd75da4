// Any bytes: the reader of cubins gives an error or a cubin whose indices are all in range.
#include <cstdlib>

#include "bankshot/sass/cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bankshot::sass;
  const auto cubin = read_cubin({reinterpret_cast<const std::byte*>(data), size});
  if (!cubin) return cubin.error().message.empty() ? std::abort(), 0 : 0;
  for (size_t i = 0; i < cubin->places.size(); ++i) {
    const Place& place = cubin->places[i];
    if (place.file >= cubin->files.size() || (place.inlined_at != 0 && place.inlined_at >= i)) std::abort();
  }
  for (const Kernel& kernel : cubin->kernels) {
    for (const Instruction& instruction : kernel.code) {
      if (instruction.place >= cubin->places.size()) std::abort();
      for (const Registers& found : instruction.written()) {
        if (found.first + found.count > 255) std::abort();
      }
      for (const Registers& found : instruction.read()) {
        if (found.first + found.count > 255) std::abort();
      }
    }
  }
  return 0;
}
