// For tests/cuda/partial: kernels that run, then what argv[1] says goes wrong. Errors are ignored, as by careless
// programs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

__global__ void column(float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][0];
}
__global__ void second(float* out) { out[threadIdx.x] = 2; }
__global__ void needs_shared() {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = 1;
}
__global__ void for_ever(volatile float* out) {
  while (out[0] != 3) {
  }
}

static void run_both() {
  float* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(float));
  column<<<1, 32>>>(out);
  second<<<1, 32>>>(out);
  for (int i = 0; i < 3; ++i) column<<<1, 32>>>(out);
}

/// Kernels that fail or are refused.
static void fail(const std::string& what) {
  static float of_host[4];
  float* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(float));
  if (what == "fault") second<<<1, 33>>>(out);
  if (what == "host") second<<<1, 32>>>(of_host);
  if (what == "null") second<<<1, 32>>>(nullptr);
  if (what == "twice") {
    second<<<1, 33>>>(out);
    column<<<1, 32>>>(out);
  }
  if (what == "threads")
    for (int i = 0; i < 3; ++i) second<<<1, 2000>>>(out);
  if (what == "grid") second<<<0, 32>>>(out);
  if (what == "grid.y") second<<<dim3(1, 70000), 32>>>(out);
  if (what == "shared") needs_shared<<<1, 32, 60000>>>();
  if (what == "limit") {
    cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
    needs_shared<<<1, 32, 1 << 20>>>();
  }
  if (what == "child") {
    const pid_t child = fork();
    if (child == 0) {
      second<<<1, 32>>>(out);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  cudaDeviceSynchronize();
}

/// Ways to end that run no destructor.
static void end(const std::string& how) {
  if (how == "_exit") _exit(0);
  if (how == "_Exit") _Exit(0);
  if (how == "quick_exit") std::quick_exit(0);
  if (how == "abort") std::abort();
  if (how == "segv") raise(SIGSEGV);
  if (how == "term") raise(SIGTERM);
  if (how == "kill") raise(SIGKILL);
}

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "nothing") return 0;
  if (mode == "fork") {
    const pid_t child = fork();
    if (child != 0) return waitpid(child, nullptr, 0) == child ? 0 : 1;
    run_both();
    _exit(0);
  }
  run_both();
  if (mode == "runs") {
    float* out = nullptr;
    cudaMalloc(&out, 32 * sizeof(float));
    std::printf("running\n");
    std::fflush(stdout);
    for_ever<<<1, 32>>>(out);
  }
  fail(mode);
  end(mode);
  return 0;
}
