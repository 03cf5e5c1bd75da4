#include "bankshot/cli/base/version.hpp"

#include <fmt/format.h>

#include "bankshot/simt/rows/isa_names.hpp"
#include "bankshot/simt/run/compiling.hpp"
#include "revision.hpp"  // made by packaging/revision.cmake

namespace bankshot::cli {

std::string built_by() {
#if defined(__clang__)
  return fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string instruction_set() { return std::string(simt::host_isa()); }

std::string version_text() {
  std::string text = kVersion;
  if (*kRevision != 0) text += fmt::format(" ({})", kRevision);
  text += fmt::format("\nbuilt by {}", built_by());
  if (*kCompiler != 0) text += fmt::format("; kernels are compiled by {}", kCompiler);
  return text + fmt::format("\ninstruction sets: {}; this host runs {}", kInstructionSets, simt::host_isa());
}

}  // namespace bankshot::cli
