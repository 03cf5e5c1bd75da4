// The exported functions of the drop-in libraries: each jumps to its implementation in libbankshot.so, with the
// arguments as they came. A function that has no implementation there says so once and returns "not supported" (801,
// the same number in both interfaces).
//
// Implementations are weak references named bankshot_<target>: adding one to libbankshot.so is all it takes to support
// a function. _exit and _Exit are libc's functions: a program that calls them runs no destructor that could write the
// report. Assembly, because the jump must not touch arguments it does not know.
#pragma once

// clang-format off
#if defined(__x86_64__)
#define BANKSHOT_FORWARD(name, target)                                \
  __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",@function\n" #name ":\n" \
          "  movq bankshot_" #target "@GOTPCREL(%rip), %r11\n"        \
          "  testq %r11, %r11\n"                                      \
          "  je 1f\n"                                                 \
          "  jmp *%r11\n"                                             \
          "1: leaq 2f(%rip), %rdi\n"                                  \
          "  jmp *" BANKSHOT_NOT_SUPPORTED "@GOTPCREL(%rip)\n"        \
          ".size " #name ", .-" #name "\n"                            \
          ".weak bankshot_" #target "\n"                              \
          ".section .rodata\n2: .asciz \"" #name "\"\n.text\n");
#elif defined(__aarch64__)
#define BANKSHOT_FORWARD(name, target)                                \
  __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ",%function\n" #name ":\n" \
          "  adrp x16, :got:bankshot_" #target "\n"                   \
          "  ldr x16, [x16, :got_lo12:bankshot_" #target "]\n"        \
          "  cbz x16, 1f\n"                                           \
          "  br x16\n"                                                \
          "1: adrp x0, 2f\n"                                          \
          "  add x0, x0, :lo12:2f\n"                                  \
          "  adrp x16, :got:" BANKSHOT_NOT_SUPPORTED "\n"             \
          "  ldr x16, [x16, :got_lo12:" BANKSHOT_NOT_SUPPORTED "]\n"  \
          "  br x16\n"                                                \
          ".size " #name ", .-" #name "\n"                            \
          ".weak bankshot_" #target "\n"                              \
          ".section .rodata\n2: .asciz \"" #name "\"\n.text\n");
#else
#error "the drop-in libraries are written for x86-64 and arm64"
#endif
// clang-format on
