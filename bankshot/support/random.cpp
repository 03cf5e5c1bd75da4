// The linker takes this function for the one of glibc 2.36, which the static libstdc++ and LLVM ask for: Bankshot runs
// on hosts with an older one.
#include <sys/random.h>

#include <cstdint>

extern "C" uint32_t arc4random() {
  uint32_t random = 0;
  while (getrandom(&random, sizeof random, 0) != sizeof random) {  // never fails for so few bytes, but by a signal
  }
  return random;
}
