// The bitcode of the functions of lanes, within the library.
#define BANKSHOT_CODE(name, file)                                                                                  \
  asm(".section .rodata\n.balign 16\n.globl " name "\n" name ":\n.incbin \"" file "\"\n.globl " name "_end\n" name \
      "_end:\n.previous\n")
BANKSHOT_CODE("bankshot_lanes_512", BANKSHOT_LANES_512);
BANKSHOT_CODE("bankshot_lane_1", BANKSHOT_LANE_1);

/// For what is linked into this library, that is LLVM: nothing of it is destroyed when the process ends, as the
/// compiler may be at work until then.
extern "C" [[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
