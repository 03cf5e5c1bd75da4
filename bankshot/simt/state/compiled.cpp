#include "bankshot/simt/state/compiled.hpp"

#include <algorithm>

namespace bankshot::simt {

void Compiled::add(const Compiled& later) {
  warp_instructions += later.warp_instructions;
  stretches.insert(stretches.end(), later.stretches.begin(), later.stretches.end());
  for (const NotCompiled& one : later.not_compiled) {
    const auto at = std::ranges::lower_bound(not_compiled, one.place(), {}, &NotCompiled::place);
    if (at == not_compiled.end() || at->place() != one.place()) not_compiled.insert(at, one);
  }
  const bool any = std::ranges::any_of(stretches, [](const CompiledStretch& s) { return s.refused.empty(); });
  why_not = any ? "" : later.why_not;
}

}  // namespace bankshot::simt
