// Any text that parses: the decoder complains with a place or gives kernels, whatever the checker thinks of its names.
#include <cstdint>
#include <cstdlib>

#include "bankshot/ptx/parser.hpp"
#include "bankshot/simt/decode/mistakes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bankshot;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ptx::Module, Diagnostics> module = ptx::parse(text);
  if (!module) return 0;
  std::vector<simt::KernelInfo> kernels;
  const Diagnostics found = simt::mistakes(*module, kernels);
  for (const Diagnostic& diagnostic : found) {
    if (diagnostic.message.empty()) std::abort();
  }
  format_diagnostics(found, "input", text);
  return 0;
}
