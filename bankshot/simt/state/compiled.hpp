// Which parts of a kernel were compiled to host code, and which were not: explains why a kernel is slow.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "bankshot/simt/state/fault.hpp"

namespace bankshot::simt {

/// A stretch of a kernel that was given to the compiler.
struct CompiledStretch {
  Source source;              ///< of its first instruction
  bool all_lanes = false;     ///< for warps of which all lanes are active; else for any
  uint64_t microseconds = 0;  ///< that the compiler took
  std::string refused = {};   ///< why there is no code; empty: there is
};

/// An instruction of a compiled stretch that its code does not execute itself.
struct NotCompiled {
  Source source;
  std::string op;           ///< "ld.global.f32"
  bool by_handler = false;  ///< the code calls its handler; else the interpreter takes over there
  std::string why;
  auto place() const { return std::tie(source.ptx_line, op, by_handler, why); }
};

/// What is known of a kernel so far. How much is compiled, and when, depends on the speed of the host.
struct Compiled {
  uint64_t warp_instructions = 0;               ///< that compiled code executed
  std::vector<CompiledStretch> stretches = {};  ///< in the order in which they were compiled
  std::vector<NotCompiled> not_compiled = {};   ///< by place in the PTX, each once
  std::string why_not = {};                     ///< why there is no code; empty if there is
  void add(const Compiled& later);
};

}  // namespace bankshot::simt
