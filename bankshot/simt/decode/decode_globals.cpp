// Module-scope variables: places and initial values.
#include <algorithm>
#include <bit>
#include <cstring>

#include "bankshot/simt/decode/decoder.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;

/// Writes initialiser elements in order (the parser filled up short rows); what is not given stays zero.
class Initialiser {
 public:
  Initialiser(ModuleContext& context, const ptx::Variable& variable, std::byte* at)
      : context_(context), variable_(variable), at_(at), size_(size_of(variable)) {}

  void run() {
    for (const Operand& element : variable_.initialiser) write(element, element_bytes());
  }

 private:
  uint64_t element_bytes() const { return std::max(1u, ptx::bits(variable_.type) / 8); }

  void write(const Operand& element, uint64_t bytes) {
    if (element.kind == Operand::Kind::vector) {
      for (const Operand& inner : element.elements) write(inner, bytes);
      return;
    }
    uint64_t bits = static_cast<uint64_t>(element.integer);
    if (element.kind == Operand::Kind::identifier || element.kind == Operand::Kind::sum) {
      const auto symbol = context_.symbols.find(element.name);
      if (symbol == context_.symbols.end()) {
        context_.diagnostics->push_back({element.position, "'" + element.name + "' is not declared", {}});
        return;
      }
      const Symbol& target = symbol->second;
      const uint64_t offset = element.kind == Operand::Kind::sum ? static_cast<uint64_t>(element.integer) : 0;
      bits = target.kind == Symbol::Kind::function ? target.index + 1 : target.address + offset;
      if (element.generic && target.space == Space::shared) bits += context_.windows.shared;
      if (element.mask != 0) bits = (bits & element.mask) >> std::countr_zero(element.mask);
    } else if (element.kind == Operand::Kind::f64 && bytes == 4) {
      double value;
      std::memcpy(&value, &bits, 8);
      const float narrow = static_cast<float>(value);
      uint32_t low;
      std::memcpy(&low, &narrow, 4);
      bits = low;
    } else if (element.kind == Operand::Kind::integer && variable_.type == ptx::Type::f32) {
      const float value = static_cast<float>(element.integer);
      uint32_t low;
      std::memcpy(&low, &value, 4);
      bits = low;
    } else if (element.kind == Operand::Kind::integer && variable_.type == ptx::Type::f64) {
      const double value = static_cast<double>(element.integer);
      std::memcpy(&bits, &value, 8);
    } else if (element.kind == Operand::Kind::f32 && bytes == 8) {
      float narrow;
      std::memcpy(&narrow, &bits, 4);
      const double value = narrow;
      std::memcpy(&bits, &value, 8);
    }
    if (next_ + bytes > size_) {
      if (!complained_) {
        context_.diagnostics->push_back(
            {element.position, "'" + variable_.name + "' has more initial values than elements", {}});
      }
      complained_ = true;
      return;
    }
    std::memcpy(at_ + next_, &bits, std::min<uint64_t>(bytes, 8));
    next_ += bytes;
  }

  ModuleContext& context_;
  const ptx::Variable& variable_;
  std::byte* at_;
  uint64_t size_, next_ = 0;
  bool complained_ = false;
};

bool has_attribute(const ptx::Variable& variable, std::string_view attribute) {
  return std::find(variable.attributes.begin(), variable.attributes.end(), attribute) != variable.attributes.end();
}

void place_memory_variable(ModuleContext& context, const ptx::Variable& variable) {
  LoadedProgram& program = *context.program;
  const bool constant = variable.space == Space::constant;
  const bool managed = has_attribute(variable, "managed");
  uint64_t size = size_of(variable);
  if (variable.has_initialiser && !variable.dimensions.empty() && !variable.dimensions[0]) {
    size = variable.initialiser.size() * std::max(1u, ptx::bits(variable.type) / 8);
  }
  if (constant && size > 64 * 1024) {
    context.diagnostics->push_back(
        {variable.position, "'" + variable.name + "' needs " + std::to_string(size) + " bytes of constant memory",
         "A module has 64 KiB of it."});
    return;
  }
  const MemoryKind kind = constant  ? MemoryKind::module_constant
                          : managed ? MemoryKind::managed
                                    : MemoryKind::module_global;
  const Result<uint64_t> address = program.memory->allocate(size, kind, alignment_of(variable), variable.name);
  if (!address) {
    context.diagnostics->push_back({variable.position, "'" + variable.name + "': " + address.error().message, {}});
    return;
  }
  program.globals.push_back({variable.name, *address, size, constant, managed, {}});
  context.symbols[variable.name].address = *address;
}

/// A .texref or .surfref: its address is what stands for the texture, nothing is stored there.
void place_opaque_variable(ModuleContext& context, const ptx::Variable& variable) {
  LoadedProgram& program = *context.program;
  if (variable.opaque == "samplerref" || variable.has_initialiser || !variable.dimensions.empty()) {
    context.diagnostics->push_back(
        {variable.position,
         "'" + variable.name +
             "': sampler variables, and texture variables with initial values or of arrays, are not supported",
         "A .texref without them is bound by cuTexRefSetArray and relatives."});
    return;
  }
  const Result<uint64_t> address = program.memory->allocate(8, MemoryKind::module_global, 8, variable.name);
  if (!address) {
    context.diagnostics->push_back({variable.position, "'" + variable.name + "': " + address.error().message, {}});
    return;
  }
  program.globals.push_back({variable.name, *address, 8, false, false, variable.opaque});
  context.symbols[variable.name].address = *address;
}

}  // namespace

void declare_globals(ModuleContext& context) {
  std::vector<const ptx::Variable*> initialised;
  for (const ptx::Item& item : context.module->items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr) continue;
    Symbol symbol;
    symbol.kind = Symbol::Kind::variable;
    symbol.variable = variable;
    symbol.type = variable->type;
    symbol.space = variable->space;
    const bool known = context.symbols.contains(variable->name);
    if (known && variable->linkage == "extern") continue;
    context.symbols[variable->name] = symbol;
    switch (variable->space) {
      case Space::global:
      case Space::constant:
        if (variable->type == ptx::Type::opaque) {
          place_opaque_variable(context, *variable);
        } else if (variable->linkage == "extern") {
          context.diagnostics->push_back({variable->position, "'" + variable->name + "' is defined in another module",
                                          "Link it in: nvcc -rdc=true, with the unit that defines it."});
        } else {
          place_memory_variable(context, *variable);
          if (variable->has_initialiser) initialised.push_back(variable);
        }
        break;
      case Space::shared:
        if (variable->linkage != "extern")  // dynamic: each kernel has its own place for it
          context.symbols[variable->name].address = context.layout->of_module().offsets.at(variable);
        break;
      default:
        context.diagnostics->push_back(
            {variable->position, "a ." + std::string(name(variable->space)) + " variable cannot be declared here", {}});
    }
  }
  for (const ptx::Variable* variable : initialised) {
    const uint64_t address = context.symbols[variable->name].address;
    if (address != 0) Initialiser(context, *variable, reinterpret_cast<std::byte*>(address)).run();
  }
}

}  // namespace bankshot::simt
