#include "bankshot/fix/machine_code.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bankshot/ptx/printer.hpp"
#include "bankshot/ptx/target.hpp"
#include "bankshot/sass/cubin.hpp"
#include "bankshot/toolkit/ptxas.hpp"

namespace bankshot::fix {
namespace {

bool accesses_shared(const sass::Instruction& instruction) {
  using sass::Class;
  constexpr Class kShared[] = {Class::shared_load, Class::shared_store, Class::shared_atomic,
                               Class::matrix_load, Class::matrix_store, Class::async_copy};
  return std::ranges::find(kShared, instruction.what) != std::end(kShared);
}

}  // namespace

Result<std::map<std::string, MachineCode>> machine_code(ptx::Module module, const std::set<std::string>& kernels,
                                                        unsigned architecture) {
  std::erase_if(module.items, [&](const ptx::Item& item) {
    const auto* function = std::get_if<ptx::Function>(&item);
    return function != nullptr && function->is_entry && !kernels.contains(function->name);
  });
  const Result<std::vector<std::byte>> bytes =
      toolkit::assemble(ptx::print(module), ptx::target_for(module, architecture));
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
