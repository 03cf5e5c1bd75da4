// Code of the host for stretches of a program, and where it is kept. Who makes it: run/compiling.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "bankshot/simt/state/instr.hpp"

namespace bankshot::simt {

/// When native code is made. at_once: a warp that reaches an instruction waits for its code; for tests.
enum class Compile : uint8_t { never, often, at_once };

/// Executes a stretch of the program for the lanes of Warp::active, which all stand at its first instruction. Registers
/// are in their rows before and after it.
/// @param at  0: from the beginning; else from after its barrier of that number, at which the warp waited
/// @return like a Handler; kRefused if it has done nothing, because it does not fit the values in the registers
using NativeCode = const Instr* (*)(Warp&, uint32_t at);

inline const Instr* const kRefused = reinterpret_cast<const Instr*>(2);

/// An instruction at which native code may begin.
struct NativeEntry {
  std::atomic<NativeCode> whole{nullptr};  ///< for warps of which all lanes are active
  std::atomic<NativeCode> part{nullptr};   ///< for any
  std::atomic<uint32_t> visits{0};         ///< without code for them, or refused by it
};

/// Makes native code.
class NativeMaker {
 public:
  virtual ~NativeMaker() = default;
  /// A warp stands at an instruction for which code has been wanted NativeProgram::patience times more. Called by the
  /// threads that run CTAs.
  /// @param refused  there is code, which has just refused the warp
  /// @return code for the warp to run; null: the interpreter continues
  virtual NativeCode wanted(const Warp& w, const Instr* i, bool refused) = 0;
};

/// The native code of a program.
struct NativeProgram {
  std::unique_ptr<NativeEntry[]> entries;  ///< beside LoadedProgram::code
  const Instr* code = nullptr;             ///< LoadedProgram::code
  uint64_t all_lanes = 0;
  uint32_t patience = 1;  ///< visits
  NativeMaker* maker = nullptr;
};

/// Goes on at `i`, in native code as far as there is some. @return the next instruction for the interpreter, or null
const Instr* run_native(Warp& w, const Instr* i);

}  // namespace bankshot::simt
