// What makes native code, as the library that has LLVM in it (jit) and the engine see it. They share this interface
// only: the library is loaded when a kernel is worth it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/access/l1_access.hpp"
#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/simt/state/native.hpp"

namespace bankshot::simt {

struct LoadedProgram;

/// The engine's functions that the compiler has to know.
struct NativeRuntime {
  // Handlers by which it recognises instructions.
  Handler branch, branch_indexed, reconverge, exit, leave_function, trap, guarded, barrier;
  // What native code calls.
  const Instr* (*diverge)(Warp&, const Instr*, uint64_t);
  const Instr* (*join)(Warp&, const Instr*);
  void (*yield)(Warp&, const Instr*);
  const Instr* (*arrive)(Warp&, const Instr*, NativeCode, uint32_t);  ///< at a barrier
  const Instr* (*end)(Warp&, const Instr*);                           ///< the active lanes end
  void (*set_mode)(Warp&, uint32_t);                                  ///< FpMode
  /// Runs an instruction by its handler; the mode is in force afterwards, whatever the handler did: LLVM moves
  /// arithmetic across calls.
  const Instr* (*run)(Warp&, const Instr*, uint32_t mode);
  /// Counts an access of the lanes of the mask to shared memory, `bytes` each at these offsets: count_shared().
  void (*count)(Warp&, const Instr*, uint32_t bytes, const uint32_t* offsets, uint32_t mask);
};

/// What a warp had in its rows when it came to an instruction, and what its kernel was called with. Code is made for
/// what is alike: values that are the same in all lanes, distances between lanes, parameters by which these are
/// multiplied; it looks whether they are as here before it relies on it.
struct NativeSample {
  uint64_t active = 0;
  std::vector<std::byte> frame, specials;  ///< from Warp::base[0] and [2]
  std::vector<std::byte> params;           ///< of the kernel
};

struct NativeRequest {
  const LoadedProgram* program = nullptr;
  uint32_t entry = 0;     ///< index of the instruction
  bool whole = false;     ///< for all lanes
  bool counting = false;  ///< conflicts are counted, under these rules
  const scratchpad::Rules* rules = nullptr;
  bool tracing = false;                     ///< … and accesses are kept, or what they write is followed
  const scratchpad::L1Rules* l1 = nullptr;  ///< those of global memory are counted under these
  std::vector<NativeSample> samples;
};

/// An instruction that native code does not execute itself.
struct NotNative {
  uint32_t instruction = 0;  ///< index
  bool by_handler = false;   ///< the code calls its handler; else it ends there
  const char* why = "";      ///< a literal
};

struct NativeResult {
  NativeCode code = nullptr;
  std::string why;      ///< … there is none
  bool broken = false;  ///< … nor will there be any other
  std::vector<NotNative> not_native = {};
  std::vector<uint32_t> reached = {};                         ///< instructions that begin its blocks
  std::vector<std::pair<uint32_t, NativeCode>> ways_in = {};  ///< code that begins within, by instruction
};

/// Made and used by one thread.
class NativeCompiler {
 public:
  virtual ~NativeCompiler() = default;
  virtual NativeResult compile(const NativeRequest& request) = 0;
  /// Frees the code of a program that is no longer running. @param program  LoadedProgram::serial
  virtual void forget(uint64_t program) = 0;
  /// Stretches whose code is kept.
  virtual size_t stretches() const = 0;
};

/// Why nothing is compiled.
struct NativeProblem {
  std::string why;        ///< empty: there is no problem
  bool is_fault = false;  ///< something is broken; else this host, or this build, has no compiler
};

/// The library exports `bankshot_native_compiler`, of this type.
/// @param isa  instruction set of the code: "avx2" or "avx512"
/// @return null if there is no compiler for it, or the host lacks it: then `problem` says so
using MakeNativeCompiler = NativeCompiler* (*)(const NativeRuntime& runtime, std::string_view isa,
                                               NativeProblem& problem);

}  // namespace bankshot::simt
