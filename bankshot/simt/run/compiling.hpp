// When native code is made: for instructions that warps come to often, by a thread beside those that run CTAs.
#pragma once

#include <memory>

#include "bankshot/simt/state/compiled.hpp"
#include "bankshot/simt/state/native.hpp"
#include "bankshot/simt/state/native_compiler.hpp"

namespace bankshot::simt {

struct EngineOptions;
struct LoadedProgram;

/// Why nothing is compiled here. Loads the compiler.
NativeProblem compiler_problem();

class Compiling {
 public:
  explicit Compiling(const EngineOptions& options);
  ~Compiling();

  // Not with Compile::never:
  /// Where the native code of a program is kept.
  NativeProgram* of(LoadedProgram& program);

  /// What became of a kernel, and of the functions that kernels call, since the last time.
  Compiled news(const LoadedProgram& program, uint32_t kernel);

  /// What went wrong and should not: empty, or why nothing is compiled any more.
  std::string fault() const;
  /// Stretches of all programs whose code is kept.
  size_t stretches() const;

 private:
  class Maker;
  std::shared_ptr<Maker> maker_;  ///< programs may outlive the engine
};

}  // namespace bankshot::simt
