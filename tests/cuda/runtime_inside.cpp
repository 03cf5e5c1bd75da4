// A program with a runtime of CUDA 12 linked into it, as far as its names go: what it says of itself here must not be
// what the program gets to hear. Needs no toolkit. OLDER: of a CUDA that had not the name by which 12 is known.
#include <cstdio>
#include <cstdlib>

#define OF_THE_RUNTIME extern "C" __attribute__((noinline, noipa, aligned(16)))

OF_THE_RUNTIME int cudaRuntimeGetVersion(int* version) { return *version = -1, 999; }
OF_THE_RUNTIME int cudaMalloc(void** pointer, std::size_t) { return *pointer = nullptr, 999; }
OF_THE_RUNTIME int cudaMemset(void*, int, std::size_t) { return std::puts("the program's own"), 999; }
OF_THE_RUNTIME int cudaMemcpy(void*, const void*, std::size_t, int) { return std::puts("the program's own"), 999; }
#ifndef OLDER
OF_THE_RUNTIME int cudaGetDeviceProperties_v2(void*, int) { return std::puts("the program's own"), 999; }
#endif
OF_THE_RUNTIME void** __cudaRegisterFatBinary(void*) { return std::puts("the program's own"), nullptr; }

/// Before main, as programs register their kernels.
static int at_start = [] {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == 0 ? version : -1;
}();

int main() {
  void* pointer = nullptr;
  unsigned char bytes[8] = {};
  const bool works = cudaMalloc(&pointer, sizeof bytes) == 0 && cudaMemset(pointer, 7, sizeof bytes) == 0 &&
                     cudaMemcpy(bytes, pointer, sizeof bytes, 2) == 0;  // 2: from the device
  std::printf("release %d, %s\n", at_start / 1000, works && bytes[0] == 7 && bytes[7] == 7 ? "works" : "fails");
  return at_start / 1000 == 12 && works && bytes[7] == 7 ? 0 : 1;
}
