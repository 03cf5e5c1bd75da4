// When native code is made: for instructions that warps come to often, by a thread beside those that run CTAs.
#pragma once

#include <memory>
#include <string>

#include "bankshot/simt/state/native.hpp"

namespace bankshot::simt {

struct EngineOptions;
struct LoadedProgram;

class Compiling {
 public:
  explicit Compiling(const EngineOptions& options);
  ~Compiling();

  /// Where its native code is kept; null if there will be none.
  NativeProgram* of(LoadedProgram& program);

 private:
  class Maker;
  std::shared_ptr<Maker> maker_;  ///< programs may outlive the engine
};

}  // namespace bankshot::simt
