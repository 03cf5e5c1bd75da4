#include "bankshot/jit/keep_registers.hpp"

#include <llvm/IR/InlineAsm.h>

// Both call the function in rax with the arguments in rdi, rsi and rdx, wherever the stack is.
asm(R"(
  .macro bankshot_enter room, alignment
    push %rbp
    mov %rsp, %rbp
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
    sub $(\room), %rsp
    and $-\alignment, %rsp
  .endm
  .macro bankshot_leave
    lea -64(%rbp), %rsp
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rbp
    ret
  .endm

  .pushsection .text
  .p2align 4
  .type bankshot_keep_64, @function
bankshot_keep_64:
  bankshot_enter 32*64+8*8, 64
  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovaps %zmm\n, 64 * \n(%rsp)
  .endr
  .irp n,0,1,2,3,4,5,6,7
    kmovq %k\n, 32 * 64 + 8 * \n(%rsp)
  .endr
  vzeroupper
  call *%rax
  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovaps 64 * \n(%rsp), %zmm\n
  .endr
  .irp n,0,1,2,3,4,5,6,7
    kmovq 32 * 64 + 8 * \n(%rsp), %k\n
  .endr
  bankshot_leave
  .size bankshot_keep_64, . - bankshot_keep_64

  .p2align 4
  .type bankshot_keep_32, @function
bankshot_keep_32:
  bankshot_enter 16*32, 32
  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovaps %ymm\n, 32 * \n(%rsp)
  .endr
  vzeroupper
  call *%rax
  .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
    vmovaps 32 * \n(%rsp), %ymm\n
  .endr
  bankshot_leave
  .size bankshot_keep_32, . - bankshot_keep_32
  .popsection
  .purgem bankshot_enter
  .purgem bankshot_leave
)");

extern "C" [[gnu::visibility("hidden")]] void bankshot_keep_64();
extern "C" [[gnu::visibility("hidden")]] void bankshot_keep_32();

namespace bankshot::jit {

llvm::Value* call_keeping_registers(llvm::IRBuilder<>& build, llvm::Value* f, llvm::Value* warp,
                                    llvm::Value* instruction, llvm::Value* mode, unsigned vector_bytes) {
  llvm::Type* const pointer = build.getPtrTy();
  const auto keep = reinterpret_cast<uint64_t>(vector_bytes == 64 ? &bankshot_keep_64 : &bankshot_keep_32);
  auto* const type =
      llvm::FunctionType::get(pointer, {pointer, pointer, pointer, build.getInt32Ty(), build.getInt64Ty()}, false);
  llvm::InlineAsm* const code = llvm::InlineAsm::get(
      type, "callq *$5", "={rax},{rax},{rdi},{rsi},{edx},r,~{memory},~{dirflag},~{fpsr},~{flags}", true);
  return build.CreateCall(code, {f, warp, instruction, mode, build.getInt64(keep)});
}

}  // namespace bankshot::jit
