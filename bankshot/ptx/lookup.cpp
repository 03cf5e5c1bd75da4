#include "bankshot/ptx/lookup.hpp"

namespace bankshot::ptx {
namespace {

/// The item as a kernel with a body, or null.
const Function* kernel_in(const Item& item) {
  const auto* function = std::get_if<Function>(&item);
  return function != nullptr && function->is_entry && function->body != nullptr ? function : nullptr;
}

}  // namespace

const Function* find_kernel(const Module& module, std::string_view name) {
  for (const Item& item : module.items) {
    const Function* kernel = kernel_in(item);
    if (kernel != nullptr && kernel->name == name) return kernel;
  }
  return nullptr;
}

std::vector<std::string> kernel_names(const Module& module) {
  std::vector<std::string> names;
  for (const Item& item : module.items) {
    if (const Function* kernel = kernel_in(item)) names.push_back(kernel->name);
  }
  return names;
}

std::string mnemonic(const Instruction& instruction) {
  std::string text = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) text += '.' + modifier;
  return text;
}

}  // namespace bankshot::ptx
