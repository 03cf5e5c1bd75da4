// The bitcode of the functions of lanes, within the library.
#define BANKSHOT_CODE(name)                                                                                         \
  asm(".section .rodata\n.balign 16\n.globl bankshot_" name "\nbankshot_" name ":\n.incbin \"" BANKSHOT_CODE_FOLDER \
      "/" name ".bc\"\n.globl bankshot_" name "_end\nbankshot_" name "_end:\n.previous\n")
BANKSHOT_CODE("lanes_512");
BANKSHOT_CODE("lanes_256");
BANKSHOT_CODE("lane_1");

/// For what is linked into this library, that is LLVM: nothing of it is destroyed when the process ends, as the
/// compiler may be at work until then.
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
