#include "bankshot/simt/state/reserved_shared.hpp"

#include <algorithm>

#include "bankshot/simt/state/program.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

constexpr std::string_view kPrefix = "%reserved_smem_offset_";
constexpr uint32_t kReservedBytes =
    1024;  // what the system has of each CTA: CUDA C++ Programming Guide, compute capability 8.x
constexpr uint32_t kAlignment = 128;  // a row of 32 banks, as where the memory begins at 0
constexpr uint32_t kSecond = 512;     // place 1; where hardware has it is not documented

/// Whether an instruction of the function reads that row, as moves do. What else the operand may be has the same number
/// now and then: such a function gets memory that it does not need.
bool names(const LoadedProgram& program, const FunctionInfo& function, uint32_t row) {
  return std::any_of(program.code.begin() + function.begin, program.code.begin() + function.end,
                     [&](const Instr& i) { return i.op[1] == row; });
}

}  // namespace

bool is_reserved_shared(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  return name == "begin" || name == "end" || name == "cap" || name == "0" || name == "1";
}

uint32_t reserved_shared(std::string_view name, uint32_t own_bytes) {
  const uint32_t begin = round_up(own_bytes, kAlignment);
  if (name.ends_with("cap")) return kReservedBytes;
  return begin + (name.ends_with("end") ? kReservedBytes : name.ends_with("1") ? kSecond : 0);
}

uint32_t own_shared(const KernelInfo& kernel, const LaunchConfig& config) {
  return config.dynamic_shared == 0 ? kernel.static_shared : kernel.dynamic_base + config.dynamic_shared;
}

uint32_t all_shared(const LoadedProgram& program, uint32_t function, uint32_t own) {
  const FunctionInfo& kernel = program.functions[function];
  for (const SpecialUse& use : program.specials) {
    if (!is_reserved_shared(use.name)) continue;
    const bool named = names(program, kernel, use.op) ||
                       (kernel.has_calls &&
                        std::any_of(program.functions.begin(), program.functions.end(),
                                    [&](const FunctionInfo& f) { return !f.is_entry && names(program, f, use.op); }));
    if (named) return round_up(own, kAlignment) + kReservedBytes;
  }
  return own;
}

}  // namespace bankshot::simt
