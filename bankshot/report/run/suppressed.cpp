#include "bankshot/report/run/suppressed.hpp"

#include <algorithm>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::report {
namespace {

/// Without line information a line is one PTX instruction.
auto suppressed_place(std::string_view kind, std::string_view kernel, const simt::Source& source) {
  return std::tuple(kind, kernel, std::string_view(source.file), source.line, source.line == 0 ? source.ptx_line : 0);
}
auto place_of_suppressed(const Suppressed& one) { return suppressed_place(one.kind, one.kernel, one.source); }

}  // namespace

void sort(std::vector<Suppressed>& suppressed) { std::ranges::stable_sort(suppressed, {}, place_of_suppressed); }

bool RunReport::is_suppressed(const Kernel& kernel, const simt::Source& source) const {
  return std::ranges::binary_search(suppressed, suppressed_place(kBankConflict, kernel.name, source), {},
                                    place_of_suppressed);
}

SharedTotals RunReport::judged(const Kernel& kernel) const {
  SharedTotals sums = kernel.shared();
  if (suppressed.empty()) return sums;
  for (const Site& site : kernel.sites) {
    if (is_suppressed(kernel, site.source)) sums.wavefronts -= site.totals.conflicts();
  }
  return sums;
}

std::string RunReport::text_of(const simt::Source& source) const {
  const auto found = source.line == 0 ? source_text.end() : source_text.find({source.file, source.line});
  return found == source_text.end() ? "" : found->second;
}

}  // namespace bankshot::report
