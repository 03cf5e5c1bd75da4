#include "bankshot/agreement/agreement.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::agreement {
namespace {

using Key = std::tuple<std::string, sass::Class, unsigned>;  ///< place, kind, bytes

/// What an instruction of the text becomes: an access of machine code that is compared, or Class::other.
struct Expected {
  sass::Class what = sass::Class::other;
  unsigned bytes = 0;
};

Expected expected_of(const ptx::Instruction& instruction) {
  using K = ptx::Access::Kind;
  const ptx::Access access = ptx::access_of(instruction);
  const bool shared = access.space == ptx::Space::shared && !access.of_cluster;
  if (instruction.opcode == "ldmatrix" || instruction.opcode == "stmatrix") {
    const unsigned matrices = has(instruction, "x4") ? 4 : has(instruction, "x2") ? 2 : 1;
    return {instruction.opcode[0] == 'l' ? sass::Class::matrix_load : sass::Class::matrix_store, 4 * matrices};
  }
  if (!shared || access.layout != ptx::Access::Layout::lanes || access.asynchronous) return {};
  if (access.kind == K::load) return {sass::Class::shared_load, access.bytes()};
  if (access.kind == K::store) return {sass::Class::shared_store, access.bytes()};
  return {};
}

/// What is known of the lines of the text before its accesses are joined.
struct TextLine {
  std::string place;
  bool is_compared = true;  ///< its instruction is a load or store whose machine code is one access
};

std::map<uint32_t, TextLine> lines_of(const ptx::KernelCode& code) {
  std::map<uint32_t, TextLine> lines;
  for (const ptx::Step& step : code.steps()) {
    const ptx::Access access = ptx::access_of(*step.instruction);
    // An atomic, or a barrier object before sm_90, may be a loop around a load; products of matrices may be loaded word
    // by word.
    const bool apart =
        access.is_atomic() || access.kind == ptx::Access::Kind::mbarrier || step.instruction->opcode == "wmma";
    TextLine& line = lines[step.instruction->position.line];
    line.place = to_string(code.place(step));
    line.is_compared &= !apart;
  }
  return lines;
}

bool is_compared(sass::Class what) {
  return what == sass::Class::shared_load || what == sass::Class::shared_store || what == sass::Class::matrix_load ||
         what == sass::Class::matrix_store;
}

}  // namespace

size_t Kernel::sum(size_t Accesses::* counted, size_t Accesses::* needed) const {
  size_t all = 0;
  for (const Accesses& a : accesses) all += a.*needed != 0 ? a.*counted : 0;
  return all;
}

std::vector<Kernel> compare(ptx::Module& module, const sass::Cubin& cubin) {
  std::map<std::string, std::map<uint32_t, TextLine>> lines;
  for (const std::string& name : ptx::kernel_names(module))
    lines[name] = lines_of(ptx::KernelCode(module, *ptx::find_kernel(module, name)));
  optimise::optimise(module, {.architecture = cubin.architecture});
  std::vector<Kernel> kernels;
  for (const sass::Kernel& machine : cubin.kernels) {
    const ptx::Function* const function = ptx::find_kernel(module, machine.name);
    if (function == nullptr) continue;
    const std::map<uint32_t, TextLine>& text = lines[machine.name];
    std::map<Key, Accesses> found;
    const auto entry = [&](const std::string& place, sass::Class what, unsigned bytes) -> Accesses& {
      Accesses& one = found[{place, what, bytes}];
      one.place = place;
      one.kind = sass::name_of(what);
      one.bytes = bytes;
      return one;
    };
    const ptx::KernelCode code(module, *function);
    for (const ptx::Step& step : code.steps()) {
      const Expected expected = expected_of(*step.instruction);
      if (expected.what != sass::Class::other)
        ++entry(to_string(code.place(step)), expected.what, expected.bytes).model;
    }
    for (const sass::Instruction& instruction : machine.code) {
      if (!is_compared(instruction.what) || instruction.never) continue;
      const auto line = text.find(instruction.ptx_line);
      if (line != text.end() && !line->second.is_compared) continue;
      ++entry(line == text.end() ? "no line" : line->second.place, instruction.what, instruction.bytes).machine;
    }
    Kernel kernel{machine.name, machine.registers, {}};
    for (auto& [key, accesses] : found) kernel.accesses.push_back(std::move(accesses));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace bankshot::agreement
