#include "bankshot/report/text/compiled_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {
namespace {

/// Things of one kind that are as they are for one reason.
struct Reason {
  std::string kind, plural;  ///< "stretch refused", "stretches refused"
  std::string why;
  std::string first;  ///< "ld.global.f32, PTX line 12, at scale.cu:3"
  uint64_t count = 0;
};

void count(std::vector<Reason>& reasons, std::string kind, std::string plural, const std::string& why,
           const std::string& op, const simt::Source& source) {
  auto at = std::ranges::find_if(reasons, [&](const Reason& r) { return r.kind == kind && r.why == why; });
  if (at == reasons.end()) {
    std::string first = (op.empty() ? "" : op + ", ") + fmt::format("PTX line {}", source.ptx_line);
    if (!source.file.empty()) first += ", " + place_text(source);
    at = reasons.insert(at, {std::move(kind), std::move(plural), why, std::move(first)});
  }
  ++at->count;
}

}  // namespace

std::string compiled_text(const Kernel& kernel) {
  if (!kernel.compiled) return {};
  const simt::Compiled& compiled = *kernel.compiled;
  std::vector<Reason> reasons;
  uint64_t stretches = 0, microseconds = 0;
  for (const simt::CompiledStretch& stretch : compiled.stretches) {
    microseconds += stretch.microseconds;
    stretches += stretch.refused.empty();
    if (!stretch.refused.empty())
      count(reasons, "stretch refused", "stretches refused", stretch.refused, "", stretch.source);
  }
  for (const simt::NotCompiled& one : compiled.not_compiled) {
    const char* const by = one.by_handler ? "executed by its handler" : "interpreted";
    const char* const all = one.by_handler ? "executed by their handlers" : "interpreted";
    count(reasons, std::string("instruction ") + by, std::string("instructions ") + all, one.why, one.op, one.source);
  }
  std::ranges::stable_sort(reasons, std::greater<>(), &Reason::count);
  std::string text = "  compiled: ";
  text += compiled.why_not.empty()
              ? fmt::format("{} in {:.1f} ms, executed {:.1f} % of the warp instructions\n",
                            counted(stretches, "stretch", "stretches"), static_cast<double>(microseconds) / 1000,
                            percent(compiled.warp_instructions, kernel.warp_instructions))
              : "nothing: " + printable(compiled.why_not) + "\n";
  for (const Reason& reason : reasons)
    text += fmt::format("    {}: {}\n      {}{}\n", counted(reason.count, reason.kind, reason.plural),
                        printable(reason.why), reason.count == 1 ? "" : "the first: ", printable(reason.first));
  return text;
}

}  // namespace bankshot::report
