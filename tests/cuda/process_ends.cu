// Calls from static destructors, from a fork's child, and the exit of a process whose kernel still runs.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "check.hpp"

__global__ void fill(int* p, int value) { p[threadIdx.x + blockIdx.x * blockDim.x] = value; }
__global__ void spin(volatile int* p) {
  while (*p == 0) {
  }
}

/// A buffer that is freed, and used once more, after main.
struct Buffer {
  int* p = nullptr;
  ~Buffer() {
    if (p == nullptr) return;
    std::vector<char*> heap;
    for (int k = 0; k < 64; ++k) heap.push_back(new char[8 + k]);
    fill<<<2, 32>>>(p, 9);
    int value = 0;
    const bool fine = cudaMemcpy(&value, p + 63, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess && value == 9 &&
                      cudaFree(p) == cudaSuccess;
    for (char* c : heap) delete[] c;
    if (!fine) _exit(1);
  }
};
Buffer buffer;

/// @return exit status of what the child does, -1 if it did not end by itself
template <class F>
int in_child(F f) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    f();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main() {
  // Before this process has a context, a child may have one, and leave while its kernel runs.
  EXPECT_EQ(in_child([] {
              int* p = nullptr;
              cudaMalloc(&p, sizeof(int));
              cudaMemset(p, 0, sizeof(int));
              std::thread([p] { spin<<<1, 1>>>(p); }).detach();
              usleep(200000);
              exit(5);
            }),
            5);
  OK(cudaMalloc(&buffer.p, 64 * sizeof(int)));
  fill<<<2, 32>>>(buffer.p, 3);
  OK(cudaDeviceSynchronize());
  // As with the real driver, what the parent has made is not the child's.
  EXPECT_EQ(in_child([] {
              fill<<<2, 32>>>(buffer.p, 4);
              _exit(cudaGetLastError() == cudaErrorInitializationError ? 7 : 0);
            }),
            7);
  return finish("process_ends");
}
