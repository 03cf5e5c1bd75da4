// Calls that leave all registers as they are, for places that are rarely reached: code around them need not save any.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace bankshot::jit {

/// A call f(warp, instruction, mode). All registers but that of the result keep their values.
/// @param vector_bytes  of the vectors to be kept: 32, or 64 with masks
llvm::Value* call_keeping_registers(llvm::IRBuilder<>& build, llvm::Value* f, llvm::Value* warp,
                                    llvm::Value* instruction, llvm::Value* mode, unsigned vector_bytes);

}  // namespace bankshot::jit
