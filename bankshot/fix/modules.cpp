#include "bankshot/fix/modules.hpp"

#include <utility>

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

const simt::KernelInfo* info_of(const simt::Program& program, const std::string& name) {
  for (const simt::KernelInfo& info : simt::kernels(program)) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace bankshot::fix
