#include "bankshot/fix/machine_code.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bankshot/host/ptxas.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/sass/cubin.hpp"

namespace bankshot::fix {
namespace {

bool accesses_shared(const sass::Instruction& instruction) {
  using sass::Class;
  constexpr Class kShared[] = {Class::shared_load, Class::shared_store, Class::shared_atomic,
                               Class::matrix_load, Class::matrix_store, Class::async_copy};
  return std::ranges::find(kShared, instruction.what) != std::end(kShared);
}

/// "sm_90a" for 90 if the module is written for that alone, else "sm_90".
std::string target_of(const ptx::Module& module, unsigned architecture) {
  const std::string plain = fmt::format("sm_{}", architecture);
  const auto own =
      std::ranges::find_if(module.targets, [&](const std::string& t) { return t == plain + "a" || t == plain + "f"; });
  return own == module.targets.end() ? plain : *own;
}

}  // namespace

Result<std::map<std::string, MachineCode>> machine_code(ptx::Module module, const std::set<std::string>& kernels,
                                                        unsigned architecture) {
  std::erase_if(module.items, [&](const ptx::Item& item) {
    const auto* function = std::get_if<ptx::Function>(&item);
    return function != nullptr && function->is_entry && !kernels.contains(function->name);
  });
  const Result<std::vector<std::byte>> bytes = host::assemble(ptx::print(module), target_of(module, architecture));
  if (!bytes) return bytes.error();
  const Result<sass::Cubin> cubin = sass::read_cubin(*bytes);
  if (!cubin) return cubin.error();
  std::map<std::string, MachineCode> all;
  for (const sass::Kernel& kernel : cubin->kernels) {
    if (!kernel.entry) continue;
    const auto is_padding = [](const sass::Instruction& i) { return i.name == "NOP"; };
    all[kernel.name] = {
        .instructions = kernel.code.size() - static_cast<size_t>(std::ranges::count_if(kernel.code, is_padding)),
        .shared_accesses = static_cast<size_t>(std::ranges::count_if(kernel.code, accesses_shared)),
        .registers = kernel.registers};
  }
  return all;
}

}  // namespace bankshot::fix
