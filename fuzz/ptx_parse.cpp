// Any bytes: parse either complains with a place or gives a module that checks, prints and parses to itself.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/ptx/same.hpp"

using namespace bankshot;

namespace {

void require(bool holds, const char* what, const std::string& printed) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, printed.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ptx::Module, Diagnostics> module = ptx::parse(text);
  if (!module) {
    require(!module.error().empty(), "no module and no complaint", "");
    for (const Diagnostic& diagnostic : module.error()) {
      require(diagnostic.position.line > 0 && diagnostic.position.column > 0, "a complaint without place",
              diagnostic.message);
    }
    format_diagnostics(module.error(), "input", text);
    return 0;
  }
  ptx::check(*module);
  const std::string printed = ptx::print(*module);
  const Result<ptx::Module, Diagnostics> again = ptx::parse(printed);
  require(static_cast<bool>(again), "the printed text does not parse", printed);
  require(ptx::same(*module, *again), "the printed text means something else", printed);
  require(ptx::print(*again) == printed, "printing is not idempotent", printed);
  return 0;
}
