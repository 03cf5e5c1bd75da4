// The modules of a program as the fix works on them: parsed, and loaded by an engine that nothing runs on.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::fix {

Result<ptx::Module> parse(const std::string& text);

/// Makes the checks of real loading, and tells where shared variables lie.
class Loader {
 public:
  explicit Loader(const gpu::Gpu& gpu);
  Result<std::shared_ptr<simt::Program>> load(const std::string& text);

 private:
  std::optional<simt::Engine> engine_;
};

/// Whether the kernel's own code reads %clock, %clock64 or %globaltimer.
bool reads_clock(const ptx::Module& module, const std::string& kernel);

/// Null if the program has no kernel of that name.
const simt::KernelInfo* info_of(const simt::Program& program, const std::string& name);

}  // namespace bankshot::fix
