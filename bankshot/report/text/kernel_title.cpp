#include "bankshot/report/text/kernel_title.hpp"

namespace bankshot::report {
namespace {

/// Where the kernel's code is, if the PTX says so.
const std::string& file_of(const Kernel& kernel) {
  for (const Site& site : kernel.sites)
    if (!site.source.file.empty()) return site.source.file;
  return kernel.module.file;
}

}  // namespace

std::string kernel_title(const Kernel& kernel, const RunReport& report) {
  size_t alike = 0, number = 0;
  bool file_is_enough = !file_of(kernel).empty();
  for (const Kernel& other : report.kernels) {
    if (other.demangled != kernel.demangled) continue;
    ++alike;
    if (&other == &kernel) {
      number = alike;
    } else if (file_of(other) == file_of(kernel)) {
      file_is_enough = false;
    }
  }
  if (alike < 2) return kernel.demangled;
  if (file_is_enough) return kernel.demangled + " of " + file_of(kernel);
  return kernel.demangled + " (number " + std::to_string(number) + " of " + std::to_string(alike) + ")";
}

}  // namespace bankshot::report
