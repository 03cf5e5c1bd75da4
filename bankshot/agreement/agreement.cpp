#include "bankshot/agreement/agreement.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"

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
  ptx::Place place;
  bool is_compared = true;  ///< its instruction is a load or store whose machine code is one access
};

/// The access may be a loop around a load (an atomic; a barrier object before sm_90), or be made word by word (products
/// of matrices).
bool is_apart(const ptx::Step& step, const ptx::Access& access) {
  return access.is_atomic() || access.kind == ptx::Access::Kind::mbarrier || step.instruction->opcode == "wmma";
}

std::map<uint32_t, TextLine> lines_of(const ptx::KernelCode& code) {
  std::map<uint32_t, TextLine> lines;
  for (const ptx::Step& step : code.steps()) {
    const ptx::Access access = ptx::access_of(*step.instruction);
    TextLine& line = lines[step.instruction->position.line];
    line.place = code.place(step);
    line.is_compared &= !is_apart(step, access);
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

std::vector<Kernel> compare(ptx::Module& module, const sass::Cubin& cubin, const optimise::SeenAccesses* seen) {
  std::map<std::string, std::map<uint32_t, TextLine>> lines;
  for (const std::string& name : ptx::kernel_names(module))
    lines[name] = lines_of(ptx::KernelCode(module, *ptx::find_kernel(module, name)));
  optimise::optimise(module, {.architecture = cubin.architecture, .seen = seen});
  std::vector<Kernel> kernels;
  for (const sass::Kernel& machine : cubin.kernels) {
    const ptx::Function* const function = ptx::find_kernel(module, machine.name);
    if (function == nullptr) continue;
    const std::map<uint32_t, TextLine>& text = lines[machine.name];
    std::map<Key, Accesses> found;
    const auto entry = [&](const ptx::Place& source, sass::Class what, unsigned bytes) -> Accesses& {
      const std::string place = source.ptx_line == 0 ? "no line" : to_string(source);
      const auto [at, is_new] = found.try_emplace({place, what, bytes});
      Accesses& one = at->second;
      if (is_new) one.source = source;
      one.place = place;
      one.kind = sass::name_of(what);
      one.bytes = bytes;
      return one;
    };
    const ptx::KernelCode code(module, *function);
    size_t not_compared = 0;
    for (const ptx::Step& step : code.steps()) {
      const ptx::Access access = ptx::access_of(*step.instruction);
      const bool touches = access.kind == ptx::Access::Kind::mbarrier || access.touches_memory();
      if (touches && access.space == ptx::Space::shared && is_apart(step, access)) ++not_compared;
      const Expected expected = expected_of(*step.instruction);
      if (expected.what != sass::Class::other) ++entry(code.place(step), expected.what, expected.bytes).model;
    }
    for (const sass::Instruction& instruction : machine.code) {
      if (!is_compared(instruction.what) || instruction.never) continue;
      const auto line = text.find(instruction.ptx_line);
      if (line != text.end() && !line->second.is_compared) continue;
      ++entry(line == text.end() ? ptx::Place{} : line->second.place, instruction.what, instruction.bytes).machine;
    }
    Kernel kernel{machine.name, machine.registers, {}, not_compared};
    for (auto& [key, accesses] : found) kernel.accesses.push_back(std::move(accesses));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::optional<optimise::SeenAccesses> seen_in(const sass::Cubin& cubin) {
  optimise::SeenAccesses seen;
  bool has_lines = false;
  for (const sass::Kernel& kernel : cubin.kernels) {
    for (const sass::Instruction& instruction : kernel.code) {
      if (instruction.ptx_line == 0) continue;
      has_lines = true;
      if (instruction.never || instruction.bytes == 0) continue;
      if (instruction.what == sass::Class::shared_load)
        seen.lines[instruction.ptx_line].loads.insert(instruction.bytes);
      if (instruction.what == sass::Class::shared_store)
        seen.lines[instruction.ptx_line].stores.insert(instruction.bytes);
    }
  }
  return has_lines ? std::optional(std::move(seen)) : std::nullopt;
}

bool is_made_of(const ptx::Module& module, const sass::Cubin& cubin) {
  // Functions are inlined into kernels, so lines are those of the whole text.
  std::set<uint32_t> accesses;
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || function->body == nullptr) continue;
    const ptx::KernelCode code(module, *function);
    for (const ptx::Step& step : code.steps()) {
      if (ptx::access_of(*step.instruction).kind != ptx::Access::Kind::none)
        accesses.insert(step.instruction->position.line);
    }
  }
  for (const sass::Kernel& kernel : cubin.kernels) {
    if (kernel.entry && ptx::find_kernel(module, kernel.name) == nullptr) return false;
    for (const sass::Instruction& instruction : kernel.code) {
      if (is_compared(instruction.what) && instruction.ptx_line != 0 && !accesses.contains(instruction.ptx_line))
        return false;
    }
  }
  return true;
}

std::vector<Checked> check(std::string_view ptx, const sass::Cubin& cubin, const optimise::SeenAccesses& seen) {
  auto by_model = ptx::parse(ptx), by_word = ptx::parse(ptx);
  if (!by_model || !by_word) return {};
  std::vector<Checked> all;
  const std::vector<Kernel> plain = compare(*by_model, cubin), taken = compare(*by_word, cubin, &seen);
  for (size_t k = 0; k < plain.size(); ++k) {
    std::map<std::pair<std::string, std::string>, Difference> found;  // by place and kind
    const auto at = [&](const Accesses& accesses) -> Difference& {
      const auto [entry, is_new] = found.try_emplace({accesses.place, accesses.kind});
      Difference& one = entry->second;
      if (is_new)
        one = {accesses.source.file, accesses.source.line, accesses.source.ptx_line, accesses.kind, {}, {}, {}};
      return one;
    };
    for (const Accesses& accesses : plain[k].accesses) {
      if (accesses.model != 0) at(accesses).expected.push_back(accesses.bytes);
      if (accesses.machine != 0) at(accesses).machine.push_back(accesses.bytes);
    }
    for (const Accesses& accesses : taken[k].accesses) {
      if (accesses.model != 0) at(accesses).counted.push_back(accesses.bytes);
    }
    Checked one{plain[k].name, {}, plain[k].not_compared};
    for (auto& [place, difference] : found) {
      if (difference.expected != difference.machine) one.differences.push_back(std::move(difference));
    }
    std::ranges::stable_sort(one.differences, {}, &Difference::ptx_line);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace bankshot::agreement
