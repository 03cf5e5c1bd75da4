#include "bankshot/fix/modules.hpp"

#include <algorithm>
#include <utility>

#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"

namespace bankshot::fix {

Result<ptx::Module> parse(const std::string& text) {
  Result<ptx::Module, Diagnostics> module = ptx::parse(text);
  if (!module) return Error{format_diagnostics(module.error(), "module.ptx", text)};
  return std::move(*module);
}

Loader::Loader(const gpu::Gpu& gpu) {
  simt::EngineOptions options;
  options.machine = gpu.machine;
  options.threads = 1;
  engine_.emplace(options);
}

Result<std::shared_ptr<simt::Program>> Loader::load(const std::string& text) {
  auto program = engine_->load(text, "module.ptx");
  if (!program) return Error{format_diagnostics(program.error(), "module.ptx", text)};
  return *program;
}

bool reads_clock(const ptx::Module& module, const std::string& kernel) {
  const ptx::Function* function = ptx::find_kernel(module, kernel);
  if (function == nullptr) return false;
  const ptx::KernelCode code(module, *function);
  return std::ranges::any_of(code.steps(), [](const ptx::Step& step) {
    return std::ranges::any_of(step.instruction->operands, [](const ptx::Operand& operand) {
      return operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer");
    });
  });
}

const simt::KernelInfo* info_of(const simt::Program& program, const std::string& name) {
  for (const simt::KernelInfo& info : simt::kernels(program)) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace bankshot::fix
