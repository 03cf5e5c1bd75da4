// Where static shared memory lies, for each kernel.
#include <algorithm>
#include <unordered_set>

#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;

/// Lays out the .shared variables inside a function from `offset` on. @return where they end
uint64_t lay_out_shared(const ptx::Block& block, uint64_t offset, ModuleContext& context) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* variable = std::get_if<ptx::Variable>(&statement)) {
      if (variable->space != Space::shared) continue;
      if (variable->linkage == "extern") {
        context.dynamic_alignment = std::max(context.dynamic_alignment, alignment_of(*variable));
        continue;
      }
      offset = round_up(offset, alignment_of(*variable));
      context.shared_offsets[variable] = static_cast<uint32_t>(offset);
      offset += size_of(*variable);
      if (offset > Windows::kSharedBytes) {
        context.diagnostics->push_back(
            {variable->position, "'" + variable->name + "' does not fit into shared memory", {}});
        offset = 0;
      }
    } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      offset = lay_out_shared(**inner, offset, context);
    }
  }
  return offset;
}

bool calls(const ptx::Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](const ptx::Statement& statement) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) return instruction->opcode == "call";
    const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement);
    return inner != nullptr && calls(**inner);
  });
}

using Names = std::unordered_set<std::string>;

void collect_names(const ptx::Operand& operand, Names& names) {
  if (!operand.name.empty()) names.insert(operand.name);
  for (const ptx::Operand& element : operand.elements) collect_names(element, names);
}

void collect_names(const ptx::Block& block, Names& names) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand& operand : instruction->operands) collect_names(operand, names);
    } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      collect_names(**inner, names);
    }
  }
}

std::vector<const ptx::Variable*> module_shared(const ptx::Module& module) {
  std::vector<const ptx::Variable*> all;
  for (const ptx::Item& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable != nullptr && variable->space == Space::shared && variable->linkage != "extern")
      all.push_back(variable);
  }
  return all;
}

/// Whether some memory is initialised with the address of a shared variable: then it must be the same for all kernels.
bool pinned(const ptx::Module& module, const std::vector<const ptx::Variable*>& shared) {
  Names names;
  for (const ptx::Item& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr) continue;
    for (const ptx::Operand& element : variable->initialiser) collect_names(element, names);
  }
  return std::any_of(shared.begin(), shared.end(), [&](const ptx::Variable* v) { return names.contains(v->name); });
}

}  // namespace

void lay_out_all_shared(ModuleContext& context, const std::vector<const ptx::Function*>& bodies) {
  const std::vector<const ptx::Variable*> module = module_shared(*context.module);
  const bool same_for_all = pinned(*context.module, module);
  uint64_t functions = context.program->static_shared;
  for (const ptx::Function* body : bodies) {
    if (body != nullptr && !body->is_entry) functions = lay_out_shared(*body->body, functions, context);
  }
  context.static_shared.assign(bodies.size(), static_cast<uint32_t>(functions));
  context.own_module_shared.resize(bodies.size());
  for (size_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k] == nullptr || !bodies[k]->is_entry) continue;
    uint64_t offset = calls(*bodies[k]->body) ? functions : context.program->static_shared;
    if (!same_for_all && !calls(*bodies[k]->body)) {
      Names names;
      collect_names(*bodies[k]->body, names);
      offset = 0;
      for (const ptx::Variable* variable : module) {
        if (!names.contains(variable->name)) continue;
        offset = round_up(offset, alignment_of(*variable));
        context.own_module_shared[k][variable->name] = offset;
        offset += size_of(*variable);
      }
    }
    context.static_shared[k] = static_cast<uint32_t>(lay_out_shared(*bodies[k]->body, offset, context));
  }
}

}  // namespace bankshot::simt
