// libcudart.so.12 as a program built with CUDA 12 sees it: versioned names, the older property structures, the old
// names. Needs no toolkit: names_of_12 LIBRARY
#include <dlfcn.h>

#include <cstring>

#include "bankshot/cuda/abi/device_prop.hpp"
#include "check.hpp"

using namespace bankshot::cuda::abi;

static void* library;

/// The function of that name with CUDA 12's version tag.
template <class Function>
static Function* get(const char* name) {
  void* found = dlvsym(library, name, "libcudart.so.12");
  if (!found) std::printf("no %s@libcudart.so.12\n", name), std::exit(1);
  return reinterpret_cast<Function*>(found);
}

int main(int argc, char** argv) {
  library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  if (!library) return std::printf("%s\n", argc > 1 ? dlerror() : "names_of_12 LIBRARY"), 1;

  int version = 0;
  EXPECT_EQ(get<int(int*)>("cudaRuntimeGetVersion")(&version), 0);
  EXPECT_EQ(version / 1000, 12);

  // Each layout between guards: nothing may be written behind it.
  struct {
    DeviceProp12 properties;
    char guard[64];
  } twelve;
  std::memset(&twelve, 0x5a, sizeof twelve);
  EXPECT_EQ(get<int(void*, int)>("cudaGetDeviceProperties_v2")(&twelve, 0), 0);
  EXPECT_EQ(twelve.properties.warpSize, 32);
  EXPECT(twelve.properties.clockRate > 0 && twelve.properties.multiProcessorCount > 0);
  EXPECT_EQ(twelve.properties.maxThreadsPerBlock, 1024);
  for (const char c : twelve.guard) EXPECT_EQ(c, 0x5a);
  struct {
    DeviceProp11 properties;
    char guard[64];
  } eleven;
  std::memset(&eleven, 0x5a, sizeof eleven);
  EXPECT_EQ(get<int(void*, int)>("cudaGetDeviceProperties")(&eleven, 0), 0);
  EXPECT_EQ(eleven.properties.multiProcessorCount, twelve.properties.multiProcessorCount);
  for (const char c : eleven.guard) EXPECT_EQ(c, 0x5a);

  void* pointer = nullptr;
  EXPECT_EQ(get<int(void**, size_t)>("cudaMalloc")(&pointer, 64), 0);
  EXPECT_EQ(get<int(void*, int, size_t)>("cudaMemset")(pointer, 3, 64), 0);
  char byte = 0;
  EXPECT_EQ(get<int(void*, const void*, size_t, int)>("cudaMemcpy")(&byte, static_cast<char*>(pointer) + 63, 1, 2), 0);
  EXPECT_EQ(byte, 3);
  EXPECT_EQ(get<int()>("cudaThreadSynchronize")(), 0);
  EXPECT_EQ(get<int(void*)>("cudaFree")(pointer), 0);
  EXPECT_EQ(get<int(void*)>("cudaFree")(pointer), 1);
  EXPECT_EQ(get<int()>("cudaGetLastError")(), 1);
  // Functions on edges that have data since 12.3 under other names, and lost those names in 13.
  void *graph = nullptr, *first = nullptr, *second = nullptr;
  size_t edges = 9;
  EXPECT_EQ(get<int(void**, unsigned)>("cudaGraphCreate")(&graph, 0), 0);
  const auto add = get<int(void**, void*, void* const*, size_t)>("cudaGraphAddEmptyNode");
  EXPECT_EQ(add(&first, graph, nullptr, 0), 0);
  EXPECT_EQ(add(&second, graph, nullptr, 0), 0);
  EXPECT_EQ(get<int(void*, void**, void**, size_t)>("cudaGraphAddDependencies")(graph, &first, &second, 1), 0);
  EXPECT_EQ(get<int(void*, void**, void**, size_t*)>("cudaGraphGetEdges")(graph, nullptr, nullptr, &edges), 0);
  EXPECT_EQ(edges, 1);
  unsigned char data[8] = {1};
  EXPECT_EQ(
      get<int(void*, void**, void**, void*, size_t*)>("cudaGraphGetEdges_v2")(graph, &first, &second, data, &edges), 0);
  EXPECT_EQ(data[0], 0);
  char handle[64];
  EXPECT_EQ(get<int(void*, void*)>("cudaIpcGetMemHandle")(handle, pointer), 801);
  EXPECT_EQ(std::strcmp(get<const char*(int)>("cudaGetErrorName")(801), "cudaErrorNotSupported"), 0);
  return finish("names_of_12");
}
