#include "bankshot/rewrite/arrays.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::rewrite {
namespace {

using Kind = ptx::Operand::Kind;

/// Instructions on any shared memory, which name the space.
bool mentions_shared(const ptx::Access& access) {
  return access.space == ptx::Space::shared || access.from == ptx::Space::shared;
}

/// wgmma: descriptors say where, which are not followed.
bool reads_operands(const ptx::Access& access) {
  return access.kind == ptx::Access::Kind::load && access.layout == ptx::Access::Layout::operands;
}

/// Instructions on memory that are rewritten: those of lanes, on shared memory of the CTA, perhaps by a generic
/// address; and copies to it (cp.async).
bool is_rewritten(const ptx::Access& access) {
  const bool may_be_shared = access.space == ptx::Space::shared || access.space == ptx::Space::generic;
  const bool of_lanes = access.layout == ptx::Access::Layout::lanes;
  const bool at_once = !access.asynchronous || access.kind == ptx::Access::Kind::copy;  // or by the address of now
  return access.touches_memory() && may_be_shared && of_lanes && at_once && !access.of_cluster;
}

/// Bytes of a lane; 0 if they are not known.
unsigned width_of(const ptx::Access& access, const ptx::Instruction& instruction) {
  if (access.kind != ptx::Access::Kind::copy) return access.bytes();
  const auto& operands = instruction.operands;  // to, from, bytes
  return operands.size() > 2 && operands[2].kind == Kind::integer ? static_cast<unsigned>(operands[2].integer) : 0;
}

scratchpad::AccessKind kind_of(const ptx::Access& access) {
  using scratchpad::AccessKind;
  if (access.is_atomic()) return AccessKind::atomic;
  if (access.kind == ptx::Access::Kind::copy) return AccessKind::copy;
  return access.writes() ? AccessKind::store : AccessKind::load;
}

bool is_dynamic(const ptx::Variable& variable) {
  return variable.space == ptx::Space::shared && ptx::size_of(variable) == 0;
}

void collect(const ptx::Operand& operand, std::set<std::string>& names) {
  names.insert(operand.name);
  for (const ptx::Operand& element : operand.elements) collect(element, names);
}

/// What functions that a kernel may call do to shared memory.
struct Functions {
  std::set<std::string> mentioned;  ///< every name in them, and in initialisers
  bool dynamic = false;             ///< some mention dynamic shared memory, which may have another name there
  std::string unknown;              ///< a function with an access to shared memory by an address, or empty
};

Functions look_at_functions(const ptx::Module& module) {
  Functions all;
  for (const ptx::Item& item : module.items) {
    if (const auto* variable = std::get_if<ptx::Variable>(&item)) {
      for (const ptx::Operand& element : variable->initialiser) collect(element, all.mentioned);
    }
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || function->is_entry || !function->body) continue;
    const KernelCode code(module, *function);
    for (const Step& step : code.steps()) {
      for (const ptx::Operand& operand : step.instruction->operands) {
        collect(operand, all.mentioned);
        const int entity = operand.kind == Kind::address ? code.entity(step, operand.name) : -1;
        const bool by_name = entity >= 0 && code.variable(entity).space == ptx::Space::shared;
        const int named = operand.name.empty() ? -1 : code.entity(step, operand.name);
        all.dynamic |= named >= 0 && is_dynamic(code.variable(named));
        const ptx::Access access = ptx::access_of(*step.instruction);
        const bool by_descriptor = reads_operands(access);
        if (by_descriptor || (mentions_shared(access) && operand.kind == Kind::address && !by_name))
          all.unknown = function->name;
      }
    }
  }
  return all;
}

size_t declarations(const ptx::Block& block, const std::string& name) {
  size_t count = 0;
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* variable = std::get_if<ptx::Variable>(&statement)) count += variable->name == name ? 1 : 0;
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) count += declarations(**inner, name);
  }
  return count;
}

/// Whether the variable's name means it everywhere in the kernel, from before the first instruction.
bool is_visible_at_start(const ptx::Module& module, const ptx::Function& kernel, const ptx::Variable& variable) {
  const size_t inside = declarations(*kernel.body, variable.name);
  const bool is_global = std::any_of(module.items.begin(), module.items.end(), [&](const ptx::Item& item) {
    return std::get_if<ptx::Variable>(&item) == &variable;
  });
  if (is_global) return inside == 0;
  for (const ptx::Statement& statement : kernel.body->statements) {
    if (std::get_if<ptx::Variable>(&statement) == &variable) return inside == 1;
    if (std::holds_alternative<ptx::Instruction>(statement)) return false;
  }
  return false;
}

}  // namespace

KernelArrays::KernelArrays(const ptx::Module& module, const ptx::Function& kernel)
    : code(module, kernel), array_of(find_arrays(module, kernel)), provenance(code, array_of) {
  find_accesses(module);
}

/// Fills `arrays`, without accesses. @return array_of
std::vector<int> KernelArrays::find_arrays(const ptx::Module& module, const ptx::Function& kernel) {
  std::vector<int> numbers(code.entities(), -1);
  int dynamic = -1;
  for (size_t entity = 0; entity < code.entities(); ++entity) {
    const ptx::Variable& variable = code.variable(static_cast<int>(entity));
    if (variable.space != ptx::Space::shared) continue;
    const bool has_no_size = ptx::size_of(variable) == 0;
    if (arrays.size() >= kMostArrays && !(has_no_size && dynamic >= 0)) continue;  // refused in find_accesses
    if (!has_no_size || dynamic < 0) {
      numbers[entity] = static_cast<int>(arrays.size());
      arrays.push_back({.name = variable.name, .dynamic = has_no_size, .bytes = ptx::size_of(variable)});
      if (has_no_size) dynamic = numbers[entity];
      if (variable.linkage == "extern" && !has_no_size)
        arrays.back().refusal = Refusal{"it is declared in another module", {}};
      if (!is_visible_at_start(module, kernel, variable)) {
        arrays.back().refusal = Refusal{"it is declared inside a block, after the first instruction or twice", {}};
      }
    } else {
      numbers[entity] = dynamic;
    }
  }
  return numbers;
}

void KernelArrays::find_accesses(const ptx::Module& module) {
  const auto refuse = [&](uint64_t which, const std::string& reason, const Place& place) {
    for (size_t k = 0; k < arrays.size(); ++k) {
      if ((which >> (2 * k) & 3) != 0 && !arrays[k].refusal) arrays[k].refusal = Refusal{reason, place};
    }
  };
  const uint64_t all = ~uint64_t{0};
  const Functions functions = look_at_functions(module);
  const auto& steps = code.steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    const ptx::Instruction& instruction = *steps[i].instruction;
    const ptx::Access what = ptx::access_of(instruction);
    const Place place = code.place(steps[i]);
    if (reads_operands(what)) refuse(all, mnemonic(instruction) + " reads shared memory by descriptors", place);
    const Misuse misuse = provenance.misuse(steps[i]);
    refuse(misuse.arrays, misuse.reason, place);
    if (instruction.opcode == "call" && !functions.unknown.empty()) {
      refuse(all, "a function is called, and " + functions.unknown + " accesses shared memory by an address", place);
    }
    for (size_t o = 0; o < instruction.operands.size(); ++o) {
      const ptx::Operand& operand = instruction.operands[o];
      const bool is_source =
          what.kind == ptx::Access::Kind::copy && is_rewritten(what) && o > 0;  // not in shared memory
      if (operand.kind != Kind::address || is_source) continue;
      const Value value = provenance.value(steps[i], operand);
      const bool shared = what.space == ptx::Space::shared;
      if (!is_rewritten(what)) {
        refuse(value.arrays, mnemonic(instruction) + " on it is not rewritten", place);
        if (value.number && mentions_shared(what))
          refuse(all, "an address of " + mnemonic(instruction) + " comes from no shared variable", place);
        continue;
      }
      if (value.number && shared) {
        refuse(all,
               "the address of " + mnemonic(instruction) + " comes from no shared variable, so that it may be anywhere",
               place);
      }
      if (value.arrays == 0) continue;
      // One bit: one array, by one kind of address.
      const auto k = static_cast<size_t>(std::countr_zero(value.arrays)) / 2;
      const bool generic = (value.arrays >> (2 * k + 1) & 1) != 0;
      if (value.number || !std::has_single_bit(value.arrays)) {
        refuse(value.arrays, mnemonic(instruction) + " may access it or something else", place);
        continue;
      }
      if (generic == shared) {
        refuse(value.arrays, mnemonic(instruction) + " takes another kind of address than it gets", place);
        continue;
      }
      Array& array = arrays[k];
      const int entity = code.entity(steps[i], operand.name);
      const bool by_name = array_of[static_cast<size_t>(entity)] >= 0;
      array.accesses.push_back(
          {i, o, by_name ? -1 : entity, generic, operand.integer, width_of(what, instruction), kind_of(what)});
      const Access& access = array.accesses.back();
      array.widest = std::max(array.widest, access.width);
      const bool outside = access.offset < 0 || static_cast<uint64_t>(access.offset) + access.width > array.bytes;
      if (by_name && !array.dynamic && outside)
        refuse(value.arrays, mnemonic(instruction) + " accesses bytes outside it", place);
      if (access.width == 0) refuse(value.arrays, mnemonic(instruction) + " has no known width", place);
    }
  }
  for (size_t entity = 0; entity < array_of.size(); ++entity) {
    const ptx::Variable& variable = code.variable(static_cast<int>(entity));
    if (array_of[entity] < 0) continue;
    if (functions.mentioned.contains(variable.name) || (functions.dynamic && is_dynamic(variable))) {
      refuse(uint64_t{1} << (2 * array_of[entity]), "a function that is called by kernels uses it, too", {});
    }
  }
  const auto shared_variables = std::count_if(array_of.begin(), array_of.end(), [](int k) { return k >= 0; });
  size_t declared = 0;
  for (size_t entity = 0; entity < code.entities(); ++entity) {
    declared += code.variable(static_cast<int>(entity)).space == ptx::Space::shared ? 1 : 0;
  }
  if (declared != static_cast<size_t>(shared_variables)) {
    refuse(all, "the kernel has more than " + std::to_string(kMostArrays) + " shared variables", {});
  }
}

}  // namespace bankshot::rewrite
