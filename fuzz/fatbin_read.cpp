// Any bytes: the reader of fat binaries gives entries or an error, and decompression stays within what an entry says.
#include <cstdlib>

#include "bankshot/cuda/modules/fatbin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bankshot::cuda;
  auto entries = read_fatbin({reinterpret_cast<const std::byte*>(data), size});
  if (!entries) return entries.error().message.empty() ? std::abort(), 0 : 0;
  for (const auto& entry : *entries) {
    if (entry.size > (1u << 20)) continue;  // allowed, but a fuzzer's time is better spent elsewhere
    const auto text = decompress(entry);
    if (text && text->size() > entry.size) std::abort();
  }
  (void)choose_ptx(*entries);
  return 0;
}
