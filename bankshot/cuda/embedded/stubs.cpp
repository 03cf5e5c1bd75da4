#include "bankshot/cuda/embedded/stubs.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "bankshot/cuda/process/say.hpp"

// The names are those of the drop-in libraries: what they export, a program may have inside. r11 is free at a call
// (System V ABI for x86-64, section 3.2.1). A row of the table is a Stub.
// clang-format off
#define BANKSHOT_STUB(release, name)                                                                   \
  __asm__(".text\n.p2align 4\nbankshot_stub" release "_" name ":\n"                                    \
          "  movq 3f(%rip), %r11\n"                                                                    \
          "  testq %r11, %r11\n"                                                                       \
          "  je 1f\n"                                                                                  \
          "  jmp *%r11\n"                                                                              \
          "1: leaq bankshot_stub" release "_" name "(%rip), %r11\n"                                    \
          "  jmp bankshot_load" release "\n"                                                           \
          ".section .rodata\n2: .asciz \"" name "\"\n"                                                 \
          ".section bankshot_stubs" release ",\"aw\",@progbits\n.p2align 3\n"                          \
          ".quad 2b, bankshot_stub" release "_" name "\n3: .quad 0\n.text\n");

// Loads our library for a stub, whose address is in r11 and whose arguments are in registers and on the stack, and goes
// back to it. The return address and seven words are on the stack at the call, so that it is aligned as a call wants it.
#define BANKSHOT_LOAD(release)                                                                         \
  __asm__(".text\n.p2align 4\nbankshot_load" release ":\n"                                             \
          "  pushq %r11\n  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n"                                   \
          "  pushq %rcx\n  pushq %r8\n  pushq %r9\n  subq $128, %rsp\n"                               \
          "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n"                                         \
          "  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"                                       \
          "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n"                                       \
          "  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"                                      \
          "  call bankshot_load_runtime" release "\n"                                                  \
          "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n"                                         \
          "  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"                                       \
          "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n"                                       \
          "  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"                                      \
          "  addq $128, %rsp\n  popq %r9\n  popq %r8\n  popq %rcx\n"                                  \
          "  popq %rdx\n  popq %rsi\n  popq %rdi\n  popq %r11\n"                                      \
          "  jmp *%r11\n");

#define BANKSHOT_FORWARD(name, target) BANKSHOT_STUB("12", #name)
#include "bankshot/cuda/libs/cudart12.def"
#undef BANKSHOT_FORWARD
#define BANKSHOT_FORWARD(name, target) BANKSHOT_STUB("13", #name)
#include "bankshot/cuda/libs/cudart13.def"
#undef BANKSHOT_FORWARD
BANKSHOT_LOAD("12")
BANKSHOT_LOAD("13")
// clang-format on

// The linker sets these at the ends of a section whose name is a C identifier.
extern "C" {
extern bankshot::cuda::embedded::Stub __start_bankshot_stubs12[], __stop_bankshot_stubs12[];
extern bankshot::cuda::embedded::Stub __start_bankshot_stubs13[], __stop_bankshot_stubs13[];
}

namespace bankshot::cuda::embedded {
namespace {

std::atomic<Exit> our_exit = nullptr;

/// libcudart.so.<number> beside this library; every stub of its release gets its target. Without it nothing could go
/// on, as the functions of the program have been written over: the process ends.
bool load_runtime(int number, std::span<Stub> stubs) {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&load_runtime), &self);
  const std::string_view path = self.dli_fname;
  const std::string library =
      std::string(path.substr(0, path.rfind('/') + 1)) + "libcudart.so." + std::to_string(number);
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    say(std::string("cannot replace the CUDA runtime in the program: ") + dlerror());
    _exit(1);
  }
  our_exit = reinterpret_cast<Exit>(dlsym(handle, "_exit"));
  for (Stub& stub : stubs) __atomic_store_n(&stub.target, dlsym(handle, stub.name), __ATOMIC_RELEASE);
  return true;
}

}  // namespace

std::span<Stub> stubs_of(Release release) {
  if (release == Release::cuda12) return {__start_bankshot_stubs12, __stop_bankshot_stubs12};
  if (release == Release::cuda13) return {__start_bankshot_stubs13, __stop_bankshot_stubs13};
  return {};
}

const Stub* find_stub(Release release, std::string_view name) {
  if (!name.starts_with("cuda") && !name.starts_with("__cuda")) return nullptr;
  for (const Stub& stub : stubs_of(release))
    if (name == stub.name) return &stub;
  return nullptr;
}

Exit exit_of_runtime() { return our_exit; }

// Called by stubs; several threads may come at once, and each returns when the targets are there.
extern "C" __attribute__((visibility("hidden"), used)) void bankshot_load_runtime12() {
  [[maybe_unused]] static const bool loaded = load_runtime(12, stubs_of(Release::cuda12));
}
extern "C" __attribute__((visibility("hidden"), used)) void bankshot_load_runtime13() {
  [[maybe_unused]] static const bool loaded = load_runtime(13, stubs_of(Release::cuda13));
}

}  // namespace bankshot::cuda::embedded
