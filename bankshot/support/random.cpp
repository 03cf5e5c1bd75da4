// The linker takes this function for the one of glibc 2.36, which the static libstdc++ and LLVM ask for: Bankshot runs
// on hosts with an older one.
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

extern "C" uint32_t arc4random() {
  uint32_t random = 0;
  while (getrandom(&random, sizeof random, 0) != sizeof random) {
    if (errno != EINTR) std::abort();  // a kernel without it, or one that forbids it
  }
  return random;
}
