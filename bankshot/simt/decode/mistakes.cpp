#include "bankshot/simt/decode/mistakes.hpp"

#include <algorithm>

#include "bankshot/ptx/checker.hpp"
#include "bankshot/simt/decode/decoder.hpp"

namespace bankshot::simt {

Diagnostics mistakes(const ptx::Module& module, std::vector<KernelInfo>& kernels) {
  Diagnostics found = ptx::check(module), instructions;
  Memory memory(kMemoryBytes);
  Program program;
  program.lanes = 32;
  program.memory = &memory;
  if (decode(module, *rows_of("portable"), {}, 0, 32, program, instructions)) kernels = program.kernels;
  const size_t names = found.size();
  for (Diagnostic& diagnostic : instructions) {
    const auto same_place = [&](const Diagnostic& other) { return other.position == diagnostic.position; };
    const auto end = found.begin() + static_cast<long>(names);
    if (std::none_of(found.begin(), end, same_place)) found.push_back(std::move(diagnostic));
  }
  std::stable_sort(found.begin(), found.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
  });
  return found;
}

}  // namespace bankshot::simt
